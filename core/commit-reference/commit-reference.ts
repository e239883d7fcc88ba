/** What pushed commits say of issues: the verbs. */

import { isPublic } from "../access/public-only.ts";
import { findAccessById, type RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import { isForgeError } from "../errors.ts";
import type { Forge } from "../forge.ts";
import * as issues from "../issue/issue.ts";
import { findIssueReferences } from "../references.ts";
import { type Repository, repositoryKey } from "../repository/repository.table.ts";
import * as users from "../user/user.ts";
import { listPushedCommits } from "./pushed-commits.ts";
import { tell } from "./tell.ts";
import { timeAfter } from "./time-notation.ts";

/** A push, as its event tells of it. */
export interface Push {
  readonly repositoryId: number;
  readonly actorId: number;
  /** The version of the refs that it made. */
  readonly version: number;
  /** Its token was limited to what is public. */
  readonly isPublicOnly?: true;
}

/** Issues that one push tells of its commits, each of each. */
const mostTold = 1_000;

/**
 * Tells issues of the commits of a push that name them, and closes or reopens those that a commit says so of on the
 * branch that counts for it, or any where the repository has it so, with the rights of who pushed (semantics §20.4). Bears repetition, and to be stopped
 * anywhere: each issue knows which commits it was told of.
 */
export async function followPush(forge: Forge, push: Push): Promise<void> {
  const { repositoryId, version } = push;
  const repository = await forge.table.get<Repository>(repositoryKey(repositoryId));
  if (repository === undefined || repository.isMirror) return;
  const { rootUrl, closeKeywords, reopenKeywords } = forge.config;
  const naming = (await listPushedCommits(forge, repositoryId, version)).flatMap((commit) => {
    const references = findIssueReferences(commit.message, { rootUrl, closeKeywords, reopenKeywords });
    return references.length === 0 ? [] : [{ commit, references }];
  });
  const pusher = naming.length === 0 ? undefined : await findPusher(forge, push);
  if (pusher === undefined) return;
  let told = 0;
  for (const { commit, references } of naming) {
    const named = await issues.findNamed(forge, repositoryId, references);
    for (const one of named.slice(0, mostTold - told)) await tellOne(forge, pusher, commit, one);
    told += named.length;
    if (told >= mostTold) return forge.log.warn("push:references-cut", { repositoryId, commit: commit.id });
  }
}

interface Pusher {
  readonly actor: Actor;
  readonly access: RepositoryAccess;
  readonly isPublicOnly: true | undefined;
  readonly sight: issues.Sight;
}

/** Undefined once he is gone, or may not see the repository any more. */
async function findPusher(
  forge: Forge,
  { actorId, repositoryId, isPublicOnly }: Push,
): Promise<Pusher | undefined> {
  const user = await users.findById(forge, actorId);
  if (user?.isActive !== true) return undefined;
  const access = await findAccessById(forge, { user }, repositoryId);
  return access && { actor: { user }, access, isPublicOnly, sight: issues.sightOf(forge, { user }, access) };
}

async function tellOne(
  forge: Forge,
  { actor, access, isPublicOnly, sight }: Pusher,
  commit: Awaited<ReturnType<typeof listPushedCommits>>[number],
  { repositoryId, number, action, end }: issues.NamedIssue,
): Promise<void> {
  const place = await sight.accessTo(repositoryId);
  if (place === undefined || place.repository.isArchived) return;
  if (isPublicOnly === true && !isPublic(place)) return;
  const { id: sourceId, defaultBranch, closesIssuesInAnyBranch = false } = access.repository;
  const seconds = action === "closes" ? timeAfter(commit.message, end) : 0;
  const said = { id: commit.id, repositoryId: sourceId, message: commit.message, action, seconds };
  try {
    await tell(forge, actor, place, number, {
      ...said,
      counts: ({ ref }) =>
        closesIssuesInAnyBranch ||
        commit.branches.has(ref === "" ? defaultBranch : ref.replace(/^refs\/heads\//, "")),
    });
  } catch (error) {
    // What it names is not there, hidden from who pushed, or closed to his comments.
    if (!isForgeError(error, "not-found") && !isForgeError(error, "forbidden")) throw error;
  }
}
