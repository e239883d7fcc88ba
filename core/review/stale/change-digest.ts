import { createHash, type Hash } from "node:crypto";
import { diffLimits } from "../../code/commit-details.ts";
import { type Code, openCode } from "../../code/open.ts";
import { TaskEnded } from "../../compute/task.ts";
import { manySteps } from "../../concurrency/pacer.ts";
import { isForgeError } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import type { FileChange } from "../../git/diff/file-change.ts";
import { FileContents } from "../../git/diff/file-content.ts";
import { diffTrees } from "../../git/diff/tree-diff.ts";
import type { ObjectId } from "../../git/format/object-format.ts";
import { branchPrefix } from "../../git/refs/ref-name.ts";
import type { PullRequest } from "../../pull/pull.table.ts";
import { newestCommon } from "../../pull/sides.ts";
import { put } from "../../table/write.ts";
import { changedLinesTask } from "../code/review-tasks.ts";
import { type ChangeDigest, changeDigestKey } from "../review.table.ts";

/** Larger files, and those beyond so many bytes together, count by their ids: a moved line makes them differ. */
const most = { fileBytes: 2 ** 20, bytes: 32 * 2 ** 20 };

/**
 * Names the change that a commit brings to the request's base: the files' paths, modes and changed lines with those
 * around them, whatever their numbers, so a rebase onto other work keeps it. Kept for each commit; undefined when it
 * can't be read.
 */
export async function changeDigest(
  forge: Forge,
  pull: PullRequest,
  commitId: ObjectId,
): Promise<string | undefined> {
  try {
    return await digestIn(forge, pull, commitId, await openCode(forge, pull.repositoryId));
  } catch (error) {
    if (isForgeError(error, "not-found")) return undefined;
    forge.log.warn("review:no-digest", { repositoryId: pull.repositoryId, number: pull.number, error });
    return undefined;
  }
}

async function digestIn(
  forge: Forge,
  { repositoryId, number, isClosed, pull }: PullRequest,
  commitId: ObjectId,
  code: Code,
): Promise<string> {
  const tip = isClosed ? undefined : code.repository.refs.find(branchPrefix + pull.base)?.id;
  const mergeBase = tip === undefined ? pull.mergeBase : await newestCommon(code, tip, commitId);
  const key = changeDigestKey(repositoryId, number, commitId);
  const kept = await forge.table.get<ChangeDigest>(key);
  if (kept?.mergeBase === mergeBase) return kept.digest;
  const digest = await computeDigest(code, mergeBase, commitId);
  await forge.table.write(put({ ...key, mergeBase, digest, _v: 1 }));
  return digest;
}

async function computeDigest({ history }: Code, from: ObjectId, to: ObjectId): Promise<string> {
  const [before, after] = [(await history.links(from)).tree, (await history.links(to)).tree];
  const { changes, isCut } = await diffTrees(history, before, after, diffLimits);
  const hash = createHash("sha256");
  if (isCut) return hash.update(`${before} ${after}`).digest("base64url");
  const contents = new FileContents(history, most.fileBytes);
  let left = most.bytes;
  for (const change of changes) {
    const pause = history.pace(manySteps);
    if (pause !== undefined) await pause;
    const { old, new: fresh } = change;
    hash.update(`${old?.path} ${old?.mode} ${fresh?.path} ${fresh?.mode}\0`, "latin1");
    if (left > 0) left -= await addContent(hash, contents, history, change);
    else hash.update(`${old?.id} ${fresh?.id}\0`);
  }
  return hash.digest("base64url");
}

/** Adds what changed in a file; answers how many bytes were compared. */
async function addContent(
  hash: Hash,
  contents: FileContents,
  history: Code["history"],
  { old, new: fresh }: FileChange,
): Promise<number> {
  const [before, after] = [await contents.of(old), await contents.of(fresh)];
  if (before.kind !== "text" || after.kind !== "text") {
    hash.update(`${old?.id} ${fresh?.id}\0`);
    return 0;
  }
  const input = { before: before.data, after: after.data };
  const lines = await history.compute(changedLinesTask, input).catch(unlessEnded);
  if (lines === undefined) hash.update(`${old?.id} ${fresh?.id}\0`);
  else hash.update(lines).update("\0");
  return before.data.length + after.data.length;
}

function unlessEnded(error: unknown): undefined {
  if (!(error instanceof TaskEnded)) throw error;
}
