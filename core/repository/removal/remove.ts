import type { Actor } from "../../actor.ts";
import { attempts } from "../../concurrency/attempts.ts";
import { isForgeError, notFound, unavailable } from "../../errors.ts";
import { type OutboxEntry, outbox, send } from "../../events/outbox.ts";
import type { Forge } from "../../forge.ts";
import { rootKey } from "../../git/store/refs/refs.table.ts";
import { type BuiltChange, changeRoot } from "../../git/store/store.ts";
import { repositoryEvent } from "../../hook/events.ts";
import { startJob } from "../../jobs/job.ts";
import type { EmptyingArguments } from "../../lifecycle/end-of-repository.ts";
import { cardRemovalWrites } from "../../quota/card-usage.ts";
import { absent, any, equals } from "../../table/condition.ts";
import { check, remove, update, type Write } from "../../table/write.ts";
import { followAtOnce } from "../fork/fork-changes.ts";
import { leaveParent } from "../fork/forks.ts";
import { repositoryTombstone } from "../listing/index-writes.ts";
import {
  cardKey,
  type Repository,
  type RepositoryCard,
  repositoryKey,
  repositoryNameKey,
} from "../repository.table.ts";

const mostAttempts = 10;

/** The deleting user: jobs know only their id. */
interface Remover {
  readonly user: Pick<Actor["user"], "id">;
}

/** The repository to delete: as its owner's, because the right of the request was checked. */
type Removed = Pick<Repository, "id" | "ownerId">;

/**
 * Deletes a repository: this transaction hides it from everybody and frees its name, and a job empties it. Running
 * pushes lose. NotFound when somebody else deleted it meanwhile, or it has another owner.
 */
export async function removeRepository(forge: Forge, actor: Remover, removed: Removed): Promise<void> {
  const { id } = removed;
  for await (const _attempt of attempts(mostAttempts)) {
    let event: OutboxEntry | undefined;
    const outcome = await changeRoot(forge, id, async (): Promise<BuiltChange> => {
      const repository = await getRemoved(forge, removed);
      const job = startJob(forge, "empty-repository", emptyingOf(forge, id));
      event = deletedEvent(forge, actor, id, job.id);
      return {
        changes: { state: "deleting" },
        extraWrites: [
          ...(await hidingWrites(forge, repository)),
          ...(await leaveParent(forge, repository)),
          ...[job.write, event.write],
        ],
      };
    });
    if (outcome.kind === "gone") return removeWithoutRoot(forge, actor, removed);
    if (outcome.kind === "done") {
      await followAtOnce(forge, id, "deletion");
      return send(forge, event === undefined ? [] : [event]);
    }
  }
  throw unavailable("the repository is too busy to be deleted just now; try again");
}

/** As `removeRepository`, for a job that purges an owner: what is gone already is no matter. */
export async function removeRepositoriesOfOwner(
  forge: Forge,
  actorId: number,
  ownerId: number,
  id: number,
): Promise<void> {
  try {
    await removeRepository(forge, { user: { id: actorId } }, { id, ownerId });
  } catch (error) {
    if (!isForgeError(error, "not-found")) throw error;
    await forge.table.removeAll([cardKey(ownerId, id)]);
  }
}

/** A repository whose ROOT was lost can still be deleted. NotFound when it was deleted meanwhile. */
async function removeWithoutRoot(forge: Forge, actor: Remover, removed: Removed): Promise<void> {
  const { id } = removed;
  const repository = await getRemoved(forge, removed);
  const job = startJob(forge, "empty-repository", emptyingOf(forge, id));
  const event = deletedEvent(forge, actor, id, job.id);
  const hiding = [
    ...(await hidingWrites(forge, repository)),
    ...(await leaveParent(forge, repository)),
    ...[job.write, event.write],
  ];
  const { committed } = await forge.table.transact([check(rootKey(id), absent), ...hiding]);
  if (!committed) throw notFound("the repository was deleted meanwhile");
  await send(forge, [event]);
}

async function getRemoved({ table }: Forge, { id, ownerId }: Removed): Promise<Repository> {
  const repository = await table.get<Repository>(repositoryKey(id));
  if (repository?.state === "live" && repository.ownerId === ownerId) return repository;
  throw notFound("the repository was deleted meanwhile, or has another owner by now");
}

const emptyingOf = (forge: Forge, repositoryId: number): EmptyingArguments => ({
  repositoryId,
  hiddenAt: forge.clock.now(),
});

/** The event starts the job, not a message of its own: hooks must hear of the deletion first. */
const deletedEvent = (
  forge: Forge,
  actor: Parameters<typeof removeRepository>[1],
  repositoryId: number,
  jobId: string,
): OutboxEntry =>
  outbox(
    forge,
    "repository-events",
    repositoryEvent({
      kind: "repository-deleted",
      repositoryId,
      actorId: actor.user.id,
      at: forge.clock.now(),
      jobId,
    }),
  );

async function hidingWrites({ table }: Forge, repository: Repository): Promise<Write[]> {
  const { id, ownerId, name, v } = repository;
  const card = await table.get<RepositoryCard>(cardKey(ownerId, id));
  const hidden = { state: "deleting", v: v + 1 } as const;
  return [
    update(repositoryKey(id), { set: hidden }, equals({ v, state: "live" })),
    // A missing part keeps nobody from deleting the rest.
    remove(repositoryNameKey(ownerId, name), any(absent, equals({ repositoryId: id }))),
    ...cardRemovalWrites(ownerId, id, card),
    repositoryTombstone({ ...repository, ...hidden }),
  ];
}
