import { type FormatContext, formatCommit } from "./commit-format.ts";

const opening = Buffer.from("$Format:");
const dollar = 0x24;
/** A format may be repeated in a file, and one commit message in each: so much may come of it. */
const mostGrowthBytes = 16 * 2 ** 20;

/**
 * Replaces each `$Format:…$` of a file (`export-subst`) by what the format says of the commit. What would make the
 * file grow by more than 16 MiB stays as it is.
 */
export function substituteFormats(content: Buffer, context: FormatContext): Buffer {
  const parts: Buffer[] = [];
  let from = 0;
  let grown = 0;
  for (let at = content.indexOf(opening); at >= 0; at = content.indexOf(opening, from)) {
    const end = content.indexOf(dollar, at + opening.length);
    if (end < 0) break;
    const format = content.toString("latin1", at + opening.length, end);
    const filled = Buffer.from(formatCommit(format, context), "latin1");
    grown += filled.length;
    if (grown > mostGrowthBytes) break;
    parts.push(content.subarray(from, at), filled);
    from = end + 1;
  }
  return parts.length === 0 ? content : Buffer.concat([...parts, content.subarray(from)]);
}
