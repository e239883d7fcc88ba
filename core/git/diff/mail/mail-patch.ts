import { TaskEnded } from "../../../compute/task.ts";
import { tooLarge } from "../../../errors.ts";
import { commitMessage } from "../../format/commit.ts";
import type { ObjectId } from "../../format/object-format.ts";
import type { History, IdentifiedCommit } from "../../history/history.ts";
import type { FileChange } from "../file-change.ts";
import { type PatchOptions, PatchWriter } from "../patch/patch.ts";
import { type FileStat, fileStats, summaryText } from "../patch/stat.ts";
import { statText } from "../patch/stat-text.ts";
import { detectRenames } from "../renames/renames.ts";
import { diffTrees, type TreeDiffLimits } from "../tree-diff.ts";
import { type MailToHead, mailHeadTask } from "./mail-head-task.ts";

/** How commits become mails. */
export interface MailPatchOptions extends PatchOptions {
  /** The text below each patch; absent: none. */
  readonly signature?: string;
  readonly limits?: TreeDiffLimits;
  /** Waited for before the changes of a commit are read. */
  onChanges?(changes: readonly FileChange[]): Promise<void>;
}

const statColumns = 72;

/**
 * Commits in the form of `git format-patch --stdout`, in the order given, each compared with its first parent. Merges
 * are left out; commits without changes are counted and left out, like git's. It ends after the patch that met a bound;
 * that patch says so. TooLarge for a commit that changes more files than the limits say.
 */
export async function* mailPatches(
  history: History,
  ids: readonly ObjectId[],
  options: MailPatchOptions = {},
): AsyncGenerator<Buffer> {
  const told: ObjectId[] = [];
  for (const id of ids) {
    if ((await history.links(id)).parents.length <= 1) told.push(id);
    const pause = history.pace();
    if (pause !== undefined) await pause;
  }
  const writer = new PatchWriter(history, { binary: true, ...options });
  let separator = "";
  for (const [at, id] of told.entries()) {
    const commit = await history.commit(id);
    const changes = await changesOf(history, commit, options);
    if (changes.length === 0) continue;
    yield Buffer.from(separator + (await headOf(history, commit, { number: at + 1, of: told.length })));
    separator = "\n";
    const stats: FileStat[] = [];
    for await (const stat of fileStats(history, changes, options)) stats.push(stat);
    yield Buffer.from(`---\n${statText(stats, statColumns)}${summaryText(changes)}\n`, "latin1");
    yield* writer.write(changes);
    if (writer.cut !== undefined)
      yield Buffer.from(`# cut: the patch has more ${writer.cut} than are shown\n`);
    if (options.signature !== undefined) yield Buffer.from(`-- \n${options.signature}\n\n`);
    else yield Buffer.from("\n");
    if (writer.cut !== undefined) return;
  }
}

function headOf(history: History, { id, commit }: IdentifiedCommit, place: MailToHead["place"]) {
  const { author } = commit;
  return history.compute(mailHeadTask, { id, author, text: commitMessage(commit), place }).catch(tooHard);
}

function tooHard(error: unknown): never {
  throw error instanceof TaskEnded
    ? tooLarge("a commit's message is too large to be shown as a mail")
    : error;
}

async function changesOf(
  history: History,
  { commit }: IdentifiedCommit,
  { limits, onChanges }: MailPatchOptions,
): Promise<readonly FileChange[]> {
  const [parent] = commit.parents;
  const before = parent === undefined ? undefined : (await history.links(parent)).tree;
  const { changes, isCut } = await diffTrees(history, before, commit.tree, limits);
  if (isCut) throw tooLarge("more files differ than can be shown: fetch the commits with git instead");
  await onChanges?.(changes);
  return detectRenames(history, changes);
}
