import type { Pace } from "../pack/entry-builder.ts";
import { type FormatContext, formatCommit } from "./commit-format.ts";
import { replaceParts } from "./replace-parts.ts";

const opening = Buffer.from("$Format:");
const dollar = 0x24;
/** Longer formats stay as they are. */
const longestFormat = 64 * 1024;

/**
 * Replaces each `$Format:…$` of a file (`export-subst`) by its result for the commit. The content behind 16 MiB of
 * results stays as it is, and so do formats above 64 KiB and formats with more than 1 MiB of result.
 */
export function substituteFormats(content: Buffer, context: FormatContext, pace: Pace): Promise<Buffer> {
  const find = (from: number) => {
    const at = content.indexOf(opening, from);
    const start = at + opening.length;
    const end = at < 0 ? -1 : content.indexOf(dollar, start);
    if (end < 0) return undefined;
    const format = end - start > longestFormat ? undefined : content.toString("latin1", start, end);
    const filled = format === undefined ? undefined : formatCommit(format, context);
    return { at, end: end + 1, text: filled === undefined ? undefined : Buffer.from(filled, "latin1") };
  };
  return replaceParts(content, find, pace);
}
