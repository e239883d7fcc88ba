import { tooLarge } from "../errors.ts";
import { mailPatches } from "../git/diff/mail-patch.ts";
import { PatchWriter } from "../git/diff/patch.ts";
import { detectRenames } from "../git/diff/renames.ts";
import type { TreeDiff } from "../git/diff/tree-diff.ts";
import type { ObjectId } from "../git/format/object-format.ts";
import type { History, IdentifiedCommit } from "../git/history/history.ts";
import { usualDigits } from "../git/history/short-id.ts";
import { treeDiffOf } from "./commit-details.ts";
import type { Code } from "./open.ts";

/** A text of one answer ends here (D-BIGBODY). */
const mostBytes = 4 * 2 ** 20;
/** Files of one mail: so many mostly make more bytes anyway. */
const mostPatched = 40_000;

/**
 * The changes of a commit against its first parent, in the form of `git diff`. TooLarge beyond 4 MiB and 3,000 files.
 */
export const diffOf = async ({ history }: Code, commit: IdentifiedCommit): Promise<Buffer> =>
  diffText(history, await treeDiffOf(history, commit));

/** The same of any changes; `isBinary`: with binary files, so that they can be applied. */
export async function diffText(
  history: History,
  found: Omit<TreeDiff, "reads">,
  { isBinary = false }: { readonly isBinary?: boolean } = {},
): Promise<Buffer> {
  if (found.isCut) throw tooLarge("more files differ than can be shown: fetch the commits with git instead");
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
export const patchOf = ({ history }: Code, commit: IdentifiedCommit): Promise<Buffer> =>
  patchText(history, [commit.id]);

/** The same of several, in their order. */
export async function patchText(history: History, ids: readonly ObjectId[]): Promise<Buffer> {
  const abbreviation = usualDigits(history.packs);
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of mailPatches(history, ids, { abbreviation, limits: { changes: mostPatched } })) {
    bytes += piece.length;
    if (bytes > mostBytes) throw tooBig();
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

const tooBig = () => tooLarge(`the text has more than ${mostBytes} bytes: fetch the commit with git instead`);
