import { findOwnerAccess, type OwnerAccess } from "../../access/owner-access.ts";
import { isRecipient } from "../../access/repository-access.ts";
import type { Actor } from "../../actor.ts";
import { isBlocked } from "../../block/block.ts";
import { blockedRefusal } from "../../block/unblocked.ts";
import { nowSeconds } from "../../clock.ts";
import {
  collaboratorRemovalWrites,
  collaboratorWrites,
  findCollaborator,
} from "../../collaborator/collaborator.ts";
import { attempts } from "../../concurrency/attempts.ts";
import { conflict, forbidden, notFound, unprocessable } from "../../errors.ts";
import { send } from "../../events/outbox.ts";
import type { Forge } from "../../forge.ts";
import { newsEntry, newsWithdrawal } from "../../notification/news.ts";
import { ownerKey } from "../../owner/owner.table.ts";
import type { Owner } from "../../owner/owner.ts";
import { equals } from "../../table/condition.ts";
import { update, type Write } from "../../table/write.ts";
import { findTeam } from "../../team/list.ts";
import type { Team } from "../../team/team.table.ts";
import { limitProblem } from "../create.ts";
import { repositoryDelta } from "../listing/index-writes.ts";
import {
  isNameFree,
  type PendingTransfer,
  type Repository,
  type RepositoryNameGuard,
  repositoryKey,
  repositoryNameKey,
} from "../repository.table.ts";
import { handOver, nameConflict } from "./internal/hand-over.ts";

/** The new owner of a repository, by name, and the teams of theirs that are to have it. */
export interface TransferRequest {
  readonly newOwner: string;
  readonly teamIds?: readonly number[];
}

/** `done`: it has its new owner. `pending`: it waits for them. */
export interface TransferOutcome {
  readonly kind: "done" | "pending";
  readonly repository: Repository;
}

const mostAttempts = 10;
const mostTeams = 40;

/**
 * Gives a repository to another owner: at once when the caller could create it there, else once the recipient accepts
 * (semantics §24.6). 404 for owners whom the caller may not know of, 403 when they block the caller or a named team is
 * another owner's, 409 while a transfer is pending, 422 when the recipient has a repository of the name or may own no
 * more.
 */
export async function startTransfer(
  forge: Forge,
  actor: Actor,
  repository: Repository,
  { newOwner, teamIds = [] }: TransferRequest,
): Promise<TransferOutcome> {
  const recipient = await findOwnerAccess(forge, actor, newOwner);
  if (recipient === undefined) throw notFound(`owner does not exist [name: ${newOwner}]`);
  await requireTeams(forge, recipient, teamIds);
  if (await isBlocked(forge, recipient.owner.id, actor.user.id)) throw blockedRefusal();
  await requireNonePending(forge, repository);
  await requireFreeName(forge, repository, recipient);
  if (recipient.mayCreateRepositories) {
    const problem = await limitProblem(forge, actor, recipient.owner);
    if (problem !== undefined) throw problem;
    const done = await handOver(forge, actor, repository.id, recipient.owner, teamIds, (current) => {
      if (current.ownerId !== repository.ownerId) throw conflict("the repository has another owner by now");
      requireNoneSince(repository, current);
    });
    return { kind: "done", repository: done };
  }
  return { kind: "pending", repository: await makePending(forge, actor, repository, recipient, teamIds) };
}

/** A transfer to a deleted recipient waits for nobody: they can neither accept nor reject it. */
async function requireNonePending({ table }: Forge, { transfer }: Repository): Promise<void> {
  if (transfer === undefined) return;
  if ((await table.get(ownerKey(transfer.recipientId))) !== undefined) throw alreadyPending();
}

function requireNoneSince(asRead: Repository, current: Repository): void {
  if (current.transfer !== undefined && !isSame(current.transfer, asRead.transfer)) throw alreadyPending();
}

const alreadyPending = () => conflict("the repository waits for another recipient already");

/** The recipient takes the repository. 404 when none is offered, 403 for everybody else (B-18). */
export async function acceptTransfer(
  forge: Forge,
  actor: Actor,
  repository: Repository,
): Promise<Repository> {
  const transfer = await requireRecipient(forge, actor, repository);
  const recipient = await forge.table.get<Owner>(ownerKey(transfer.recipientId));
  if (recipient === undefined) throw notFound("the recipient is gone");
  const problem = await limitProblem(forge, actor, recipient);
  if (problem !== undefined) throw problem;
  return handOver(forge, actor, repository.id, recipient, transfer.teamIds, (current) =>
    requireSame(current.transfer, transfer),
  );
}

/**
 * The recipient rejects the repository; a job removes what they were told of it. 404 when none is offered, 403 for
 * everybody else (B-18).
 */
export async function rejectTransfer(
  forge: Forge,
  actor: Actor,
  repository: Repository,
): Promise<Repository> {
  const transfer = await requireRecipient(forge, actor, repository);
  let current: Repository | undefined = repository;
  for await (const _attempt of attempts(mostAttempts)) {
    if (current?.state !== "live") throw notFound("the repository was deleted meanwhile");
    requireSame(current.transfer, transfer);
    const { transfer: _ended, ...rest } = current;
    const after: Repository = { ...(rest as Repository), v: current.v + 1 };
    const item = { set: { v: after.v }, unset: ["transfer"] };
    const guest = await guestWrites(forge, current, transfer);
    const withdrawal = newsWithdrawal(forge, { repositoryId: current.id, ...transfer });
    const outcome = await forge.table.transact([
      update(repositoryKey(current.id), item, equals({ v: current.v, state: "live" })),
      repositoryDelta(after),
      ...guest,
      withdrawal.write,
    ]);
    if (outcome.committed) {
      await send(forge, [withdrawal.message]);
      return after;
    }
    current = await forge.table.get<Repository>(repositoryKey(repository.id));
  }
  throw busy();
}

const busy = () => conflict("the repository is being changed by others; try again");

async function guestWrites(
  forge: Forge,
  repository: Repository,
  { isGuest, recipientId }: PendingTransfer,
): Promise<Write[]> {
  if (!isGuest) return [];
  const row = await findCollaborator(forge, repository, recipientId);
  return row?.mode === "read" ? collaboratorRemovalWrites(repository.id, recipientId) : [];
}

function requireSame(current: PendingTransfer | undefined, expected: PendingTransfer): void {
  if (!isSame(current, expected)) throw nothingPending();
}

const isSame = (one: PendingTransfer | undefined, other: PendingTransfer | undefined): boolean =>
  one?.recipientId === other?.recipientId && one?.startedAt === other?.startedAt;

const nothingPending = () => notFound("the repository waits for no recipient");

async function requireRecipient(
  forge: Forge,
  actor: Actor,
  { transfer }: Repository,
): Promise<PendingTransfer> {
  if (transfer === undefined) throw nothingPending();
  if (!(await isRecipient(forge, transfer, actor.user.id)))
    throw forbidden("only its recipient may accept or reject a transfer");
  return transfer;
}

async function makePending(
  forge: Forge,
  actor: Actor,
  repository: Repository,
  { owner: { id: recipientId, kind } }: OwnerAccess,
  teamIds: readonly number[],
): Promise<Repository> {
  let current: Repository | undefined = repository;
  for await (const _attempt of attempts(mostAttempts)) {
    if (current?.state !== "live" || current.ownerId !== repository.ownerId) {
      throw notFound("the repository was deleted meanwhile, or has another owner by now");
    }
    requireNoneSince(repository, current);
    const isUser = kind === "user";
    const known = isUser ? await findCollaborator(forge, current, recipientId) : undefined;
    const isGuest = isUser && known === undefined;
    const transfer: PendingTransfer = {
      ...{ doerId: actor.user.id, recipientId, recipientKind: kind, isGuest },
      teamIds: [...teamIds].sort((one, other) => one - other),
      startedAt: nowSeconds(forge.clock),
    };
    const set = { transfer, v: current.v + 1 };
    const after = { ...current, ...set };
    const news = newsEntry(forge, {
      ...{ repositoryId: current.id, actorId: actor.user.id, at: forge.clock.now() },
      ...(isUser ? { userIds: [recipientId] } : { organizationId: recipientId }),
    });
    const outcome = await forge.table.transact([
      update(repositoryKey(current.id), { set }, equals({ v: current.v, state: "live" })),
      repositoryDelta(after),
      ...(isGuest ? collaboratorWrites(current.id, recipientId, "read") : []),
      news.write,
    ]);
    if (outcome.committed) {
      await send(forge, [news]);
      return after;
    }
    current = await forge.table.get<Repository>(repositoryKey(repository.id));
  }
  throw busy();
}

async function requireFreeName(forge: Forge, { name }: Repository, { owner }: OwnerAccess): Promise<void> {
  const guard = await forge.table.get<RepositoryNameGuard>(repositoryNameKey(owner.id, name));
  if (!isNameFree(guard)) throw nameConflict(owner, name);
}

async function requireTeams(forge: Forge, { owner }: OwnerAccess, teamIds: readonly number[]): Promise<void> {
  if (teamIds.length === 0) return;
  if (owner.kind === "user") throw unprocessable("TeamIDs: the new owner is a user, who has no teams");
  if (teamIds.length > mostTeams) throw unprocessable(`TeamIDs: at most ${mostTeams} teams may be named`);
  const found: (Team | undefined)[] = await Promise.all(teamIds.map((id) => findTeam(forge, id)));
  const unknown = teamIds.find((_id, place) => found[place] === undefined);
  if (unknown !== undefined) throw unprocessable(`TeamIDs: there is no team ${unknown}`);
  if (found.some((team) => team?.organizationId !== owner.id)) {
    throw forbidden("a team belongs to another organization than the new owner");
  }
}
