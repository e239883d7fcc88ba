import { tooLarge } from "../errors.ts";
import type { FileChange } from "../git/diff/file-change.ts";
import { mailPatches } from "../git/diff/mail/mail-patch.ts";
import { PatchWriter } from "../git/diff/patch/patch.ts";
import { detectRenames } from "../git/diff/renames/renames.ts";
import type { TreeDiff } from "../git/diff/tree-diff.ts";
import type { ObjectId } from "../git/format/object-format.ts";
import type { IdentifiedCommit } from "../git/history/history.ts";
import { usualDigits } from "../git/history/short-id.ts";
import { treeDiffOf } from "./commit-details.ts";
import { comparingBytes, longestPatch, renamingBytes } from "./diff-memory.ts";
import type { Code } from "./open.ts";

/** Longer texts are refused. */
const mostBytes = 24 * 2 ** 20;
/** A text counts as one that is no longer than this, until it is. */
const usualBytes = 4 * 2 ** 20;
/** Files of one mail: so many mostly make more bytes anyway. */
const mostPatched = 40_000;
/** Encoded as in a mail, a message has so many times its bytes. */
const mailFactor = 3;
/** What comparing the files of a commit takes, mostly. */
const usualWork = 2 ** 20;
/** A text is there in pieces, as a whole, and in what is sent. */
const textFactor = 3;

/**
 * The changes of a commit against its first parent, in the form of `git diff`. TooLarge beyond 24 MiB and 3,000 files.
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
  const [longest, making] = [longestPatch(history, found.changes), makingBytes(code, found.changes)];
  const memoryOf = (most: number) => textFactor * Math.min(longest, most) + making;
  await code.reserve(memoryOf(usualBytes));
  const changes = await detectRenames(history, found.changes);
  const abbreviation = usualDigits(history.packs);
  const writer = new PatchWriter(history, { abbreviation, binary: isBinary, most: { bytes: mostBytes } });
  const text = await collected(writer.write(changes), () => code.reserveInAll(memoryOf(mostBytes)));
  if (writer.cut !== undefined) throw tooBig();
  return text;
}

/**
 * A commit as a mail, in the form of `git format-patch`; empty for merges. TooLarge beyond 24 MiB, and beyond
 * 40,000 files.
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
  const memoryOf = (most: number) => textFactor * Math.min(longest, most);
  let textMemory = memoryOf(usualBytes);
  await code.reserve(textMemory + usualWork);
  const onChanges = (changes: readonly FileChange[]) =>
    code.reserveInAll(textMemory + makingBytes(code, changes));
  const options = { abbreviation: usualDigits(history.packs), limits: { changes: mostPatched }, onChanges };
  return collected(mailPatches(history, ids, options), () => {
    textMemory = memoryOf(mostBytes);
    return code.reserveInAll(textMemory + usualWork);
  });
}

/** The pieces of a text together; `onLong` is called once it is longer than usual. TooLarge when it is too long. */
async function collected(pieces: AsyncIterable<Buffer>, onLong: () => Promise<void>): Promise<Buffer> {
  const found: Buffer[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    if (bytes <= usualBytes && bytes + piece.length > usualBytes) await onLong();
    bytes += piece.length;
    if (bytes > mostBytes) throw tooBig();
    found.push(piece);
  }
  return Buffer.concat(found);
}

/** The memory that patches take while they are made, beside their text. */
const makingBytes = ({ history }: Code, changes: readonly FileChange[]): number =>
  comparingBytes(history, changes) + renamingBytes(history, changes);

const tooBig = () => tooLarge(`the text has more than ${mostBytes} bytes: fetch the commit with git instead`);
