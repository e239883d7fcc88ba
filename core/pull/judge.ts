import { nowSeconds } from "../clock.ts";
import { diffLimits } from "../code/commit-details.ts";
import type { Config } from "../config.ts";
import { isForgeError } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { fileStats, type StatTotals, totalsOf } from "../git/diff/patch/stat.ts";
import { detectRenames } from "../git/diff/renames/renames.ts";
import { diffTrees } from "../git/diff/tree-diff.ts";
import type { ObjectId } from "../git/format/object-format.ts";
import type { History } from "../git/history/history.ts";
import { mergeBases } from "../git/history/merge-base.ts";
import { openHistory } from "../git/store/commit-graph/load-graph.ts";
import { type OpenRepository, openRepository } from "../git/store/store.ts";
import { lazyFor } from "../lazy.ts";
import { put } from "../table/write.ts";
import { type Judgement, judgementKey, type PullRequest } from "./pull.table.ts";

/** How long a reader waits for a judgment. The next reader, or the worker, makes it otherwise. */
const patienceMs = 5_000;
/** Files that conflict, by name, beyond which no more are listed: an item has room for 400 KB. */
const mostConflicts = { files: 100, pathBytes: 64 * 1024 };
/** Larger files count as binary: their lines are not counted. */
const largestCounted = 2 ** 20;

/** How long requests that could not be judged are left alone: each try takes as long as the first. */
const triedAgainSeconds = 3_600;

/**
 * Whether head and base can be merged, and how much changes: from the item that keeps it when both are as they were,
 * else computed, once for all who ask at a time, and kept. `unknown` when it takes too long; undefined when the objects
 * can't be read.
 */
export async function judgePull(
  forge: Forge,
  pull: PullRequest,
  baseId: ObjectId,
  known?: Judgement,
): Promise<Judgement | undefined> {
  const now = nowSeconds(forge.clock);
  const isFresh = (kept: Judgement | undefined) =>
    kept?.baseId === baseId &&
    kept.headId === pull.pull.headId &&
    (kept.state !== "unknown" || now - kept.judgedAt < triedAgainSeconds);
  if (isFresh(known)) return known;
  const kept = await forge.table.get<Judgement>(judgementKey(pull.repositoryId, pull.number));
  if (isFresh(kept)) return kept;
  const running = runningOf(forge.config);
  const name = `${pull.repositoryId}.${pull.number} ${baseId} ${pull.pull.headId}`;
  const judging = running.get(name) ?? judgeAndKeep(forge, pull, baseId).finally(() => running.delete(name));
  running.set(name, judging);
  return judging;
}

/** Judgements that this process is making, by the request and its two commits. */
const runningOf = lazyFor((_config: Config) => new Map<string, Promise<Judgement | undefined>>());

async function judgeAndKeep(
  forge: Forge,
  pull: PullRequest,
  baseId: ObjectId,
): Promise<Judgement | undefined> {
  const { repositoryId, number } = pull;
  try {
    const repository = await openRepository(forge, repositoryId);
    if (repository === undefined) return undefined;
    const judgement = await judge(forge, repository, pull, baseId).catch((error: unknown) => {
      if (isForgeError(error, "unavailable")) return unjudged(forge, pull, baseId);
      throw error;
    });
    await forge.table.write(put(judgement));
    return judgement;
  } catch (error) {
    forge.log.warn("pull:not-judged", { repositoryId, number, error });
    return undefined;
  }
}

/** Keeps that the judgment failed: readers see `unknown` until somebody tries again. */
const unjudged = (
  forge: Forge,
  { repositoryId, number, pull }: PullRequest,
  baseId: ObjectId,
): Judgement => ({
  ...judgementKey(repositoryId, number),
  ...{ baseId, headId: pull.headId, mergeBase: pull.mergeBase, state: "unknown", conflicts: [] },
  ...{ isRelated: true, files: 0, additions: 0, deletions: 0, judgedAt: nowSeconds(forge.clock), _v: 1 },
});

async function judge(
  forge: Forge,
  repository: OpenRepository,
  { repositoryId, number, pull }: PullRequest,
  baseId: ObjectId,
): Promise<Judgement> {
  const { headId, base, head } = pull;
  const history = await openHistory(forge, repository, { compute: forge.compute, timeMs: patienceMs });
  const [common] = await mergeBases(history, headId, baseId);
  const { mergeCommits } = await import("../git/merge/merge-commits.ts"); // merging is loaded where it is used
  const merged = await mergeCommits(history, baseId, headId, { ours: base, theirs: head });
  const isConflict = merged.kind === "unrelated" || merged.conflicts.length > 0;
  const isEmpty = merged.kind === "merged" && merged.tree === (await history.links(baseId)).tree;
  const conflicts = merged.kind === "unrelated" ? [] : merged.conflicts;
  return {
    ...judgementKey(repositoryId, number),
    baseId,
    headId,
    mergeBase: common ?? baseId,
    state: isConflict ? "conflict" : isEmpty ? "empty" : "mergeable",
    conflicts: listedPaths(conflicts),
    isRelated: merged.kind === "merged",
    ...(await sizeOf(history, common ?? baseId, headId)),
    judgedAt: nowSeconds(forge.clock),
    _v: 1,
  };
}

/** The first paths of some conflicts, each once. */
function listedPaths(conflicts: readonly { readonly path: string }[]): string[] {
  const paths = [...new Set(conflicts.map(({ path }) => path))].slice(0, mostConflicts.files);
  let left = mostConflicts.pathBytes;
  return paths.filter(({ length }) => {
    left -= length;
    return left >= 0;
  });
}

/** The files and lines that differ between two commits. */
async function sizeOf(history: History, from: ObjectId, to: ObjectId): Promise<StatTotals> {
  const [before, after] = [(await history.links(from)).tree, (await history.links(to)).tree];
  const { changes } = await diffTrees(history, before, after, diffLimits);
  const stats = [];
  const renamed = await detectRenames(history, changes);
  for await (const one of fileStats(history, renamed, { largestFile: largestCounted })) stats.push(one);
  return totalsOf(stats);
}
