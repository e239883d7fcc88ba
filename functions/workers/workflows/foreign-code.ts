import { accessMode, modeOf } from "#core/access/modes";
import { findAccessById } from "#core/access/repository-access";
import { mayRunUnapproved } from "#core/actions/run/approval";
import type { RunEvent } from "#core/actions/run/run-events";
import type { Code } from "#core/code/open";
import type { Forge } from "#core/forge";
import { type PullRequest, pullHeadRef } from "#core/pull/pull.table";
import type { Repository } from "#core/repository/repository.table";
import { findUserById } from "#core/user/find";
import { ghostUser } from "#core/user/system-users";
import type { Happening } from "./happenings.ts";

/** Whether the head of a request lies in another repository, where people write who may not write here. */
export const isFromFork = (repositoryId: number, { pull }: PullRequest): boolean =>
  pull.headRepositoryId !== repositoryId;

/** The events whose runs take their workflow from the head of a pull request. */
const ofHead: readonly RunEvent[] = ["pull_request", "pull_request_review", "pull_request_review_comment"];

/**
 * The users for whose code a run needs approval (semantics §64.3): of the author of a request from a fork, and of who
 * pushed its head. Whoever caused the event has no say: the workflow is none of theirs. None: it may start at once.
 */
export async function findUnapproved(
  forge: Forge,
  repository: Repository,
  code: Code,
  { event, pull }: Happening,
): Promise<number[]> {
  if (!ofHead.includes(event) || pull === undefined || !isFromFork(repository.id, pull)) return [];
  const kept = code.repository.refs.find(pullHeadRef(pull.number));
  // A head that has moved on meanwhile was pushed by nobody knows whom.
  const pusherId = kept?.id === pull.pull.headId ? kept.pusherId : ghostUser.id;
  const users = [...new Set([pull.authorId, pusherId])];
  const areFree = await Promise.all(users.map((id) => isFree(forge, repository, id)));
  return users.filter((_, at) => areFree[at] === false);
}

async function isFree(forge: Forge, { id, ownerId }: Repository, userId: number): Promise<boolean> {
  const user = await findUserById(forge, userId);
  if (user === undefined || user.isRestricted) return false;
  const access = await findAccessById(forge, { user }, id, ownerId);
  if (access !== undefined && modeOf(access.rights, "actions") >= accessMode.write) return true;
  return mayRunUnapproved(forge, id, userId);
}
