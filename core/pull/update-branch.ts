import { accessMode, modeOf } from "../access/modes.ts";
import { findAccessById, type RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import { authorshipOf } from "../code/authorship.ts";
import { landChangesIn } from "../code/land.ts";
import { packBetween } from "../code/related-objects.ts";
import { attempts } from "../concurrency/attempts.ts";
import { conflict, isForgeError, missingRights, unprocessable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import type { ObjectId } from "../git/format/object-format.ts";
import { isAncestor } from "../git/history/merge-base.ts";
import { newPackOf } from "../git/ingest/take-pack.ts";
import type { StyledOutcome } from "../git/merge/merge-styles.ts";
import { packOfNew } from "../git/merge/new-objects.ts";
import { branchPrefix } from "../git/refs/ref-name.ts";
import { shareNamedLfsObjects } from "../lfs/named-objects.ts";
import { hasPushedHead } from "./head/pushed-head.ts";
import { findRule } from "./merge/protection.ts";
import type { UpdateStyle } from "./merge/wanted.ts";
import type { PullRequest } from "./pull.table.ts";
import { getPull } from "./pull.ts";
import { openPullSides, type PullSides } from "./sides.ts";

/**
 * Brings the base's new commits into a request's head branch (semantics §45), like a push of the actor; nothing happens
 * when it has them. 422 when the request is closed, or has no head branch; missing rights when the actor may not push
 * there, or not by force for a rebase; Conflict when the two don't fit together.
 */
export async function updatePullBranch(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  style: UpdateStyle,
  actor: Actor,
): Promise<void> {
  for await (const _lost of attempts()) {
    const pull = await getPull(forge, access, number);
    if (pull.isClosed) throw unprocessable("the pull request is closed");
    if (hasPushedHead(pull.pull)) {
      throw unprocessable(
        "the request has no head branch to update: rebase the commits, and push them again",
      );
    }
    const head = await findAccessById(forge, actor, pull.pull.headRepositoryId);
    if (head === undefined) throw missingRights("the head branch is not for you");
    await requireUpdater(forge, access, head, pull, style);
    const sides = await openPullSides(forge, pull.repositoryId, pull.pull);
    if (await isAncestor(sides.code.history, sides.baseId, sides.headId)) return;
    const tip = await makeUpdate(forge, actor, pull, sides, style);
    if (await moveHead(forge, actor, head, pull, sides, tip)) return;
  }
  throw conflict("the branches keep moving: try again");
}

async function requireUpdater(
  forge: Forge,
  access: RepositoryAccess,
  head: RepositoryAccess,
  { pull }: PullRequest,
  style: UpdateStyle,
): Promise<void> {
  const isWriter = (one: RepositoryAccess) => modeOf(one.rights, "code") >= accessMode.write;
  if (!isWriter(head) && !(pull.allowsMaintainerEdit && isWriter(access))) {
    throw missingRights("you may not push to the head branch");
  }
  if (style === "merge") return;
  if (!access.repository.merge.allowRebaseUpdate) {
    throw missingRights("the repository does not allow updates by rebase");
  }
  if ((await findRule(forge, head.repository.id, pull.head)) !== undefined) {
    throw missingRights("the head branch is protected: it takes no forced pushes");
  }
}

async function makeUpdate(
  forge: Forge,
  actor: Actor,
  { pull }: PullRequest,
  { code: { history }, baseId, headId }: PullSides,
  style: UpdateStyle,
): Promise<ObjectId> {
  const authorship = authorshipOf(forge, actor, {});
  let outcome: StyledOutcome;
  if (style === "rebase") {
    const { rebase } = await import("../git/merge/rebase.ts"); // merging is loaded where it is used
    outcome = await rebase(history, headId, baseId, authorship);
  } else {
    const { mergeInStyle } = await import("../git/merge/merge-styles.ts");
    outcome = await mergeInStyle(history, "merge", {
      base: headId,
      head: baseId,
      names: { ours: pull.head, theirs: pull.base },
      ...authorship,
      message: `Merge branch '${pull.base}' into ${pull.head}\n`,
    });
  }
  if (outcome.kind === "done") return outcome.tip;
  throw conflict("base and head conflict: update the branch with git");
}

/** False when the head branch has moved. */
async function moveHead(
  forge: Forge,
  actor: Actor,
  { repository }: RepositoryAccess,
  { repositoryId, pull }: PullRequest,
  { code: { history }, baseId, headId }: PullSides,
  tip: ObjectId,
): Promise<boolean> {
  const coming = { history, want: baseId, have: headId };
  await shareNamedLfsObjects(forge, { from: repositoryId, to: repository.id }, coming);
  const change = { name: branchPrefix + pull.head, old: headId, new: tip };
  const isOwn = pull.headRepositoryId === repositoryId;
  const copied = isOwn ? undefined : await packBetween(history, tip, headId);
  try {
    const pack = copied === undefined ? await packOfNew(history, [tip]) : newPackOf(copied);
    const landed = await landChangesIn(forge, repository, actor, [change], { pack });
    return landed.kind === "landed";
  } catch (error) {
    throw isForgeError(error, "forbidden") ? missingRights(error.message) : error;
  } finally {
    await copied?.dispose();
  }
}
