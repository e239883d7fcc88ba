import { tooLarge } from "../errors.ts";
import type { FileChange } from "../git/diff/file-change.ts";
import { mailPatches } from "../git/diff/mail-patch.ts";
import { PatchWriter } from "../git/diff/patch.ts";
import { detectRenames } from "../git/diff/renames.ts";
import type { TreeDiff } from "../git/diff/tree-diff.ts";
import type { ObjectId } from "../git/format/object-format.ts";
import type { IdentifiedCommit } from "../git/history/history.ts";
import { usualDigits } from "../git/history/short-id.ts";
import { treeDiffOf } from "./commit-details.ts";
import { comparingBytes, longestPatch, renamingBytes } from "./diff-memory.ts";
import type { Code } from "./open.ts";

/** A text of one answer ends here (D-BIGBODY). */
const mostBytes = 4 * 2 ** 20;
/** Files of one mail: so many mostly make more bytes anyway. */
const mostPatched = 40_000;
/** Encoded as in a mail, a message has so many times its bytes. */
const mailFactor = 3;
/** What comparing the files of a commit takes, mostly. */
const usualWork = 2 ** 20;
/** A text is there in pieces, as a whole, and in what is sent. */
const textFactor = 3;

/**
 * The changes of a commit against its first parent, in the form of `git diff`. TooLarge beyond 4 MiB and 3,000 files.
 */
export const diffOf = async (code: Code, commit: IdentifiedCommit): Promise<Buffer> =>
  diffText(code, await treeDiffOf(code.history, commit));

/** The same of any changes; `isBinary`: with binary files, so that they can be applied. */
export async function diffText(
  code: Code,
  found: Omit<TreeDiff, "reads">,
  { isBinary = false }: { readonly isBinary?: boolean } = {},
): Promise<Buffer> {
  if (found.isCut) throw tooLarge("more files differ than can be shown: fetch the commits with git instead");
  const { history } = code;
  await code.reserve(
    textFactor * Math.min(longestPatch(history, found.changes), mostBytes) + makingBytes(code, found.changes),
  );
  const changes = await detectRenames(history, found.changes);
  const abbreviation = usualDigits(history.packs);
  const writer = new PatchWriter(history, { abbreviation, binary: isBinary, most: { bytes: mostBytes } });
  const pieces: Buffer[] = [];
  for await (const piece of writer.write(changes)) pieces.push(piece);
  if (writer.cut !== undefined) throw tooBig();
  return Buffer.concat(pieces);
}

/**
 * A commit as a mail, in the form of `git format-patch`; empty for merges. TooLarge beyond 4 MiB, and beyond 40,000
 * files.
 */
export async function patchOf(code: Code, commit: IdentifiedCommit): Promise<Buffer> {
  const { changes, isCut } = await treeDiffOf(code.history, commit);
  const textBytes = code.history.sizeOf(commit.id) * mailFactor + longestPatch(code.history, changes);
  return patchText(code, [commit.id], isCut ? mostBytes : textBytes);
}

/** The same of several, in their order. They count as the longest text: their changes are found one by one. */
export async function patchText(
  code: Code,
  ids: readonly ObjectId[],
  longest: number = mostBytes,
): Promise<Buffer> {
  const { history } = code;
  const textBytes = textFactor * Math.min(longest, mostBytes);
  await code.reserve(textBytes + usualWork);
  const onChanges = (changes: readonly FileChange[]) =>
    code.reserveInAll(textBytes + makingBytes(code, changes));
  const abbreviation = usualDigits(history.packs);
  const pieces: Buffer[] = [];
  let bytes = 0;
  const options = { abbreviation, limits: { changes: mostPatched }, onChanges };
  for await (const piece of mailPatches(history, ids, options)) {
    bytes += piece.length;
    if (bytes > mostBytes) throw tooBig();
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** The memory that patches take while they are made, beside their text. */
const makingBytes = ({ history }: Code, changes: readonly FileChange[]): number =>
  comparingBytes(history, changes) + renamingBytes(history, changes);

const tooBig = () => tooLarge(`the text has more than ${mostBytes} bytes: fetch the commit with git instead`);
