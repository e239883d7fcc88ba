import { LRUCache } from "lru-cache";
import { manySteps } from "../concurrency/pacer.ts";
import { defined } from "../defined.ts";
import type { Forge } from "../forge.ts";
import { type FileChange, sideOf } from "../git/diff/file-change.ts";
import { fileStats, type StatTotals, totalsOf } from "../git/diff/patch/stat.ts";
import { diffTrees, type TreeDiff } from "../git/diff/tree-diff.ts";
import { entryName } from "../git/format/tree.ts";
import type { History, IdentifiedCommit } from "../git/history/history.ts";
import { comparingBytes } from "./diff-memory.ts";
import { type Verification, verifyCommits } from "./verification.ts";

/** A file that a commit touched. */
export interface AffectedFile {
  readonly path: string;
  readonly status: "added" | "removed" | "modified";
}

/** A commit with what was asked for beside it. */
export interface CommitDetails extends IdentifiedCommit {
  readonly verification?: Verification;
  /** Against the first parent, by name. */
  readonly files?: readonly AffectedFile[];
  readonly stats?: StatTotals;
}

/** The wanted details of commits. */
export interface WantedDetails {
  readonly stat: boolean;
  readonly files: boolean;
  readonly verification: boolean;
}

/** The most that one commit may cost: users write commits. Beyond it files are left out and not counted. */
export const diffLimits = { changes: 3_000, trees: 20_000, pathBytes: 512 * 1024 };
/** Larger files count as binary: their lines are not counted. */
const largestCounted = 2 ** 20;

/** By whole id: a commit never changes, so its counts don't either. */
const knownStats = new LRUCache<string, StatTotals>({ max: 20_000 });

/** Completes commits, in their order, one as the one before it is done with. */
export async function* commitDetailsOf(
  forge: Forge,
  history: History,
  commits: readonly IdentifiedCommit[],
  wanted: WantedDetails,
): AsyncGenerator<CommitDetails> {
  const verifications = wanted.verification ? await verifyCommits(forge, history, commits) : [];
  for (const [at, commit] of commits.entries()) {
    const verification = verifications[at];
    const changes = await changesIn(forge, history, commit, wanted);
    await history.pace(manySteps);
    yield { ...commit, ...defined({ verification }), ...changes };
  }
}

async function changesIn(
  forge: Forge,
  history: History,
  one: IdentifiedCommit,
  { files, stat }: WantedDetails,
): Promise<Pick<CommitDetails, "files" | "stats">> {
  const known = stat ? knownStats.get(one.id) : undefined;
  const isCounted = stat && known === undefined;
  const changes = files || isCounted ? await commitChangesOf(history, one) : [];
  if (isCounted) await forge.reserveInAll(comparingBytes(history, changes, largestCounted));
  const stats = isCounted ? await count(history, one, changes) : known;
  return {
    ...(files ? { files: changes.map(affected).sort(byPath) } : {}),
    ...defined({ stats }),
  };
}

/** The files that differ from the first parent; all files of a commit without one. Renames are not looked for. */
const commitChangesOf = async (history: History, commit: IdentifiedCommit): Promise<readonly FileChange[]> =>
  (await treeDiffOf(history, commit)).changes;

/** The same, telling whether files are left out. */
export async function treeDiffOf(history: History, { commit }: IdentifiedCommit): Promise<TreeDiff> {
  const [parent] = commit.parents;
  const before = parent === undefined ? undefined : (await history.links(parent)).tree;
  return diffTrees(history, before, commit.tree, diffLimits);
}

async function count(
  history: History,
  { id }: IdentifiedCommit,
  changes: readonly FileChange[],
): Promise<StatTotals> {
  const stats = [];
  for await (const stat of fileStats(history, changes, { largestFile: largestCounted })) stats.push(stat);
  const totals = totalsOf(stats);
  if (!stats.some(({ isGivenUp }) => isGivenUp === true)) knownStats.set(id, totals);
  return totals;
}

const statusOf: Readonly<Partial<Record<FileChange["status"], AffectedFile["status"]>>> = {
  added: "added",
  deleted: "removed",
};

const affected = (change: FileChange): AffectedFile => ({
  path: entryName(sideOf(change).path),
  status: statusOf[change.status] ?? "modified",
});

const byPath = (one: AffectedFile, other: AffectedFile): number =>
  one.path < other.path ? -1 : Number(one.path > other.path);
