import type { ContentPair } from "../../git/diff/file-tasks.ts";
import { diffLines } from "../../git/diff/lines/line-diff.ts";
import { unifiedHunks } from "../../git/diff/patch/unified.ts";

const lineFeed = 0x0a;
const headerMark = 0x40;
const bareHeader = Buffer.from("@\n");

/**
 * The hunks of a text's change without the numbers in their headers: the changed lines with their marks and those around
 * them, wherever they are. A line that is the same elsewhere belongs to another change.
 */
export function changedLines({ before, after }: ContentPair): Buffer {
  const hunks = Buffer.concat([...unifiedHunks(diffLines(before, after))]);
  const parts: Buffer[] = [];
  let kept = 0;
  for (let start = 0; start < hunks.length; ) {
    const end = hunks.indexOf(lineFeed, start);
    const next = end < 0 ? hunks.length : end + 1;
    if (hunks[start] === headerMark) {
      parts.push(hunks.subarray(kept, start), bareHeader);
      kept = next;
    }
    start = next;
  }
  return Buffer.concat([...parts, hunks.subarray(kept)]);
}
