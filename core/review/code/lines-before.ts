import type { ContentPair } from "../../git/diff/file-tasks.ts";
import { diffLines } from "../../git/diff/lines/line-diff.ts";

/** The numbers that lines of a changed text had before; undefined for those that the change brought. */
export function linesBefore(
  { before, after }: ContentPair,
  lines: readonly number[],
): (number | undefined)[] {
  const { changes } = diffLines(before, after);
  return lines.map((line) => {
    const index = line - 1;
    let shift = 0;
    for (const { newStart, newCount, oldCount } of changes) {
      if (index < newStart) break;
      if (index < newStart + newCount) return undefined;
      shift += oldCount - newCount;
    }
    return line + shift;
  });
}
