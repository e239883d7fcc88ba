/** References from pushed commits to issues: the verbs. */

import { isPublic } from "../access/public-only.ts";
import { findAccessById, type RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import { isForgeError } from "../errors.ts";
import type { Forge } from "../forge.ts";
import type { LoggedChange } from "../git/refs/ref-log.ts";
import { type AccessLoader, accessLoader } from "../issue/placed-issues.ts";
import { findNamedIssue, type NamedIssue } from "../issue/references/named-issues.ts";
import { findIssueReferences } from "../reference/find-references.ts";
import { type Repository, repositoryKey } from "../repository/repository.table.ts";
import { findUserById } from "../user/find.ts";
import { addCommitReference } from "./internal/add-reference.ts";
import { listPushedCommits } from "./internal/pushed-commits.ts";
import { timeAfter } from "./internal/time-notation.ts";

/** A push, from its event and the log. */
export interface Push {
  readonly repositoryId: number;
  readonly actorId: number;
  /** The refs that it changed. */
  readonly changes: readonly LoggedChange[];
  /** Whether the pusher's token was limited to public things. */
  readonly isPublicOnly?: true;
}

/** The most issues that one push tells of its commits, each pair counted. */
const mostReferences = 1_000;

/**
 * Tells issues of the commits of a push that name them. Closes or reopens issues when a commit on the right branch says
 * so (on any branch when the repository allows that), with the pusher's rights (semantics §20.4). May be repeated and
 * stopped anywhere: each issue knows which commits refer to it.
 */
export async function followPush(forge: Forge, push: Push): Promise<void> {
  const { repositoryId, changes } = push;
  const repository = await forge.table.get<Repository>(repositoryKey(repositoryId));
  if (repository === undefined || repository.isMirror) return;
  const { rootUrl, closeKeywords, reopenKeywords } = forge.config;
  const naming = (await listPushedCommits(forge, repositoryId, changes)).flatMap((commit) => {
    const references = findIssueReferences(commit.message, { rootUrl, closeKeywords, reopenKeywords });
    return references.length === 0 ? [] : [{ commit, references }];
  });
  const pusher = naming.length === 0 ? undefined : await findPusher(forge, push);
  if (pusher === undefined) return;
  let count = 0;
  for (const { commit, references } of naming) {
    const named = await findNamedIssue(forge, repositoryId, references);
    for (const one of named.slice(0, mostReferences - count)) await addReference(forge, pusher, commit, one);
    count += named.length;
    if (count >= mostReferences)
      return forge.log.warn("push:references-cut", { repositoryId, commit: commit.id });
  }
}

interface Pusher {
  readonly actor: Actor;
  readonly access: RepositoryAccess;
  readonly isPublicOnly: true | undefined;
  readonly loader: AccessLoader;
}

/** Undefined when the pusher is gone, or may not see the repository any more. */
async function findPusher(
  forge: Forge,
  { actorId, repositoryId, isPublicOnly }: Push,
): Promise<Pusher | undefined> {
  const user = await findUserById(forge, actorId);
  if (user?.isActive !== true) return undefined;
  const access = await findAccessById(forge, { user }, repositoryId);
  return access && { actor: { user }, access, isPublicOnly, loader: accessLoader(forge, { user }, access) };
}

async function addReference(
  forge: Forge,
  { actor, access, isPublicOnly, loader }: Pusher,
  commit: Awaited<ReturnType<typeof listPushedCommits>>[number],
  { repositoryId, number, action, end }: NamedIssue,
): Promise<void> {
  const place = await loader.accessTo(repositoryId);
  if (place === undefined || place.repository.isArchived) return;
  if (isPublicOnly === true && !isPublic(place)) return;
  const { id: sourceId, defaultBranch, closesIssuesInAnyBranch = false } = access.repository;
  const seconds = action === "closes" ? timeAfter(commit.message, end) : 0;
  const said = { id: commit.id, repositoryId: sourceId, message: commit.message, action, seconds };
  try {
    await addCommitReference(forge, actor, place, number, {
      ...said,
      counts: ({ ref }) =>
        closesIssuesInAnyBranch ||
        commit.branches.has(ref === "" ? defaultBranch : ref.replace(/^refs\/heads\//, "")),
    });
  } catch (error) {
    // The named issue is missing, hidden from the pusher, or closed to their comments.
    if (!isForgeError(error, "not-found") && !isForgeError(error, "forbidden")) throw error;
  }
}
