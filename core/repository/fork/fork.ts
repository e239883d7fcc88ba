import type { OwnerAccess } from "../../access/owner-access.ts";
import type { RepositoryAccess } from "../../access/repository-access.ts";
import type { Actor } from "../../actor.ts";
import { isBlocked } from "../../block/block.ts";
import { blockedRefusal } from "../../block/unblocked.ts";
import { conflict, forbidden, notFound, unavailable } from "../../errors.ts";
import { type OutboxEntry, outbox, send } from "../../events/outbox.ts";
import type { Forge } from "../../forge.ts";
import { forkGit } from "../../git/store/fork.ts";
import type { Root } from "../../git/store/refs/refs.table.ts";
import { gitBytes } from "../../git/store/store.ts";
import { defaultHookWrites } from "../../hook/copy.ts";
import { repositoryEvent } from "../../hook/events.ts";
import { nextId } from "../../ids.ts";
import { cancelJob, type NewJob } from "../../jobs/job.ts";
import { lfsFork } from "../../lfs/fork.ts";
import { requireStaying } from "../../owner/deletion.ts";
import { absent } from "../../table/condition.ts";
import { put, type Write } from "../../table/write.ts";
import { repositoryCountsWrite } from "../counts.ts";
import {
  type Alongside,
  createdEvent,
  creationWrites,
  limitProblem,
  newRepository,
  requireFreeName,
  watcherOf,
} from "../create.ts";
import { creatorWrites } from "../create-in-organization.ts";
import { firstUnits } from "../internal/defaults.ts";
import { repositoryFieldProblem } from "../internal/fields.ts";
import { cleanUpJob } from "../internal/staged-writes.ts";
import { type ForkRow, forkGuardKey, forkKey, type Repository } from "../repository.table.ts";
import { firstFork } from "./fork-guards.ts";
import { forkStays, hasPrivateForks } from "./forks.ts";

/**
 * Forks a repository to an owner (semantics §24.4): branches and tags over the packs of the source, its description,
 * format and default branch. 409 when the owner has a fork of it, or a repository of the name, or may have no more; 403
 * when the caller may not create there, or when the source's owner blocks them.
 */
export async function forkRepository(
  forge: Forge,
  actor: Actor,
  source: RepositoryAccess,
  target: OwnerAccess,
  name: string = source.repository.name,
): Promise<Repository> {
  const problem = repositoryFieldProblem({ name });
  if (problem !== undefined) throw problem;
  const writesFor = await requireTarget(forge, actor, source, target);
  const id = await nextId(forge.table, "repository");
  const planned = forkOf(forge, source, target, id, name);
  const copiedHooks = await defaultHookWrites(forge, id);
  const alongside = {
    owner: target.owner,
    writes: [
      // A public fork of a repository that has become private meanwhile must not be created.
      ...forkStays(source.repository, source.owner, target.owner.id),
      ...writesFor(planned),
      ...copiedHooks,
    ],
  };
  await Promise.all([
    requireFreeName(forge, planned),
    requireFirst(forge, source.repository, planned.ownerId),
  ]);
  const cleanUp = cleanUpJob(forge, id);
  await forge.table.write(cleanUp.write);
  return commitFork(forge, actor, source.repository, planned, { alongside, cleanUp });
}

async function commitFork(
  forge: Forge,
  actor: Actor,
  source: Repository,
  planned: Repository,
  { alongside, cleanUp }: { readonly alongside: Alongside; readonly cleanUp: NewJob },
): Promise<Repository> {
  const isInOrganization = alongside.owner.kind === "organization";
  const events = [
    forkedEvent(forge, actor, source.id, planned.id),
    ...(isInOrganization ? [createdEvent(forge, actor, planned.id)] : []),
  ];
  const largeFiles = lfsFork(forge, source.id, planned.id);
  let created = planned;
  const outcome = await forkGit(forge, source.id, planned.id, async (root) => {
    created = { ...planned, isEmpty: root.branches === 0 };
    return [
      ...forkWrites(source, created, root, watcherOf(forge, actor, alongside.owner)),
      ...alongside.writes,
      ...(await largeFiles.writes()),
      cancelJob(cleanUp.id),
      ...events.map(({ write }) => write),
    ];
  });
  if (outcome.kind === "gone") throw notFound("the repository was deleted meanwhile");
  if (outcome.kind === "busy")
    throw unavailable("the repository is too busy to be forked just now; try again");
  if (outcome.kind === "refused") {
    await requireFreeName(forge, planned);
    await requireFirst(forge, source, planned.ownerId);
    await requireStaying(forge, alongside.owner);
    throw conflict("the repository is being changed by others; try again");
  }
  await send(forge, [...events, ...largeFiles.messages()]);
  return created;
}

/** Everything of a new fork except its ROOT and its rights. */
function forkWrites(
  source: Repository,
  created: Repository,
  root: Root,
  watcherId: number | undefined,
): Write[] {
  const { id, ownerId, createdAt } = created;
  const row: ForkRow = { ...forkKey(source.id, id), forkId: id, _v: 1 };
  return [
    ...creationWrites(created, watcherId, {
      gitBytes: gitBytes(root),
      pushedAt: root.branches === 0 ? 0 : createdAt,
    }),
    firstFork(source.id, ownerId, id),
    put(row, absent),
    repositoryCountsWrite(source.id, source.shards, { forks: 1 }),
  ];
}

function forkOf(
  forge: Forge,
  { repository: source, owner }: RepositoryAccess,
  target: OwnerAccess,
  id: number,
  name: string,
): Repository {
  const { description, defaultBranch, objectFormat } = source;
  const isPrivate = hasPrivateForks(source, owner);
  const given = { name, description, defaultBranch, objectFormat, isPrivate };
  return {
    ...newRepository(forge, target.owner, id, given),
    units: firstUnits(forge.config, { isFork: true }),
    isFork: true,
    parentId: source.id,
  };
}

async function requireTarget(
  forge: Forge,
  actor: Actor,
  source: RepositoryAccess,
  { owner, organization }: OwnerAccess,
): Promise<(repository: Repository) => Write[]> {
  if (owner.kind === "user" && owner.id !== actor.user.id) {
    throw forbidden("a fork belongs to its maker, or to an organization");
  }
  if (await isBlocked(forge, source.owner.id, actor.user.id)) throw blockedRefusal();
  const writesFor = organization === undefined ? () => [] : await creatorWrites(forge, actor, organization);
  if ((await limitProblem(forge, actor, owner)) !== undefined) {
    throw conflict("the owner may have no more repositories");
  }
  return writesFor;
}

async function requireFirst(forge: Forge, source: Repository, ownerId: number): Promise<void> {
  const guard = await forge.table.get(forkGuardKey(source.id, ownerId));
  if (guard !== undefined) throw conflict("repository is already forked by this owner");
}

const forkedEvent = (forge: Forge, actor: Actor, sourceId: number, forkId: number): OutboxEntry =>
  outbox(
    forge,
    "repository-events",
    repositoryEvent({
      ...{ kind: "repository-forked", repositoryId: sourceId, forkId },
      ...{ actorId: actor.user.id, at: forge.clock.now() },
    }),
  );
