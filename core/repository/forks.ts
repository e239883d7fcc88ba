import { findListingRules } from "../access/listed-repositories.ts";
import type { Actor } from "../actor.ts";
import { attempts } from "../attempts.ts";
import { nowSeconds } from "../clock.ts";
import type { Forge } from "../forge.ts";
import { type JobKind, startJob } from "../jobs/job.ts";
import * as marks from "../mark/mark.ts";
import { send } from "../outbox.ts";
import { ownerKey } from "../owner/owner.table.ts";
import type { Owner } from "../owner/owner.ts";
import { equals, exists, keyText, put, remove, update, type Write } from "../table.ts";
import { countsWrite } from "./counts.ts";
import { type ListPage, listed, type RepositoryListing } from "./list.ts";
import { noteActivity, repositoryTail } from "./listing.ts";
import {
  cardKey,
  type ForkRow,
  forkGuardKey,
  forkKey,
  forksOf,
  type Repository,
  repositoryKey,
} from "./repository.table.ts";

/** Whether forks of a repository are private: where it is, and where its owner is, whom not everybody may know of. */
export const hasPrivateForks = (
  { isPrivate }: Pick<Repository, "isPrivate">,
  { visibility }: Pick<Owner, "visibility">,
): boolean => isPrivate || visibility === "private";

/** As `hasPrivateForks`, of the repository with this id; undefined when it or its owner is gone. */
export async function findForkPrivacy({ table }: Forge, parentId: number): Promise<boolean | undefined> {
  const parent = await table.get<Repository>(repositoryKey(parentId));
  if (parent?.state !== "live") return undefined;
  const owner = await table.get<Owner>(ownerKey(parent.ownerId));
  return owner === undefined ? undefined : hasPrivateForks(parent, owner);
}

/** Forks of a repository that the caller may see, by id. */
export async function listForks(
  forge: Forge,
  actor: Actor | undefined,
  { id }: Repository,
  page: ListPage,
): Promise<RepositoryListing> {
  const [rules, rows] = await Promise.all([
    findListingRules(forge, actor),
    forge.table.queryAll<ForkRow>(forksOf(id)),
  ]);
  if (rows.length === 0) return { items: [], total: 0 };
  const ids = new Set(rows.map(({ forkId }) => forkId));
  return listed(forge, actor, page, { by: "id" }, rules, {
    isFork: true,
    accepts: (repository) => ids.has(repository.id) && rules.isListed(repository),
  });
}

/** What a fork leaves at its parent when it is deleted; nothing where the parent is going as well. */
export async function leaveParent({ table }: Forge, { id, ownerId, parentId }: Repository): Promise<Write[]> {
  if (parentId === undefined) return [];
  const [parentAt, guardAt] = [repositoryKey(parentId), forkGuardKey(parentId, ownerId)];
  const found = await table.getAll([parentAt, guardAt]);
  const parent = found.get(keyText(parentAt)) as Repository | undefined;
  if (parent?.state !== "live") return [];
  const guard = found.get(keyText(guardAt)) as ForkRow | undefined;
  return [
    remove(forkKey(parentId, id)),
    ...(guard?.forkId === id ? [remove(guardAt)] : []),
    countsWrite(parentId, parent.shards, { forks: -1 }),
  ];
}

/** What a fork that changes hands leaves at its parent: it is the new owner's now. */
export function handOverFork({ id, ownerId, parentId }: Repository, newOwnerId: number): Write[] {
  if (parentId === undefined) return [];
  const guard: ForkRow = { ...forkGuardKey(parentId, newOwnerId), forkId: id, _v: 1 };
  return [remove(forkGuardKey(parentId, ownerId)), put(guard)];
}

const forksPerStep = 25;

/**
 * Makes forks of a repository that is being deleted independent, a query's worth a step, and brings the number of
 * forks of its own parent into lists. May be repeated; answers whether there were any, and whether more are left.
 */
export async function emptyForks(
  forge: Forge,
  repositoryId: number,
): Promise<{ hasFound: boolean; hasMore: boolean }> {
  const page = await forge.table.query<ForkRow>({ ...forksOf(repositoryId), limit: forksPerStep });
  for (const { forkId } of page.items) {
    await changeFork(forge, repositoryId, forkId, () => ({ isFork: false }));
  }
  await forge.table.removeAll(page.items);
  const repository = await forge.table.get<Repository>(repositoryKey(repositoryId));
  if (repository?.parentId !== undefined) await noteActivity(forge, repository.parentId);
  return { hasFound: page.items.length > 0, hasMore: page.next !== undefined };
}

/** The job that makes forks as visible as what they were forked from has become. */
export interface FollowingArguments {
  readonly repositoryId: number;
}

/** Forks come first, then marks. */
interface FollowingCursor {
  readonly after?: string;
  readonly marks?: marks.MarkCursor;
}

/**
 * Gives forks the visibility of what they were forked from (`hasPrivateForks`), and theirs in turn (semantics §5): a job of its own for
 * each fork that changes; of one that has become private the stars and watches end of who may not see it any more. May
 * be repeated.
 */
export const followVisibility: JobKind<FollowingArguments, FollowingCursor> = {
  async step(forge, { repositoryId }, cursor) {
    const parent = await forge.table.get<Repository>(repositoryKey(repositoryId));
    const isPrivate = await findForkPrivacy(forge, repositoryId);
    if (parent === undefined || isPrivate === undefined) return { done: true };
    if (cursor?.marks !== undefined) {
      const next = parent.isPrivate
        ? await marks.forgetWhoLostSight(forge, repositoryId, cursor.marks)
        : undefined;
      return next === undefined ? { done: true } : { cursor: { marks: next } };
    }
    const page = await forge.table.query<ForkRow>({
      ...{ ...forksOf(repositoryId), limit: forksPerStep },
      ...(cursor?.after === undefined ? {} : { after: cursor.after }),
    });
    for (const { forkId } of page.items) {
      await changeFork(forge, repositoryId, forkId, (fork) =>
        fork.isPrivate === isPrivate ? undefined : { isPrivate },
      );
    }
    return { cursor: page.next === undefined ? { marks: { kind: "star" } } : { after: page.next } };
  },
};

const mostAttempts = 10;

type ForkChange = Partial<Pick<Repository, "isFork" | "isPrivate">>;

/** Changes a fork; `undefined` leaves it as it is. One that is no fork any more knows no parent either. */
async function changeFork(
  forge: Forge,
  parentId: number,
  forkId: number,
  changesOf: (current: Repository) => ForkChange | undefined,
): Promise<void> {
  for await (const _attempt of attempts(mostAttempts)) {
    const current = await forge.table.get<Repository>(repositoryKey(forkId));
    if (current?.state !== "live" || current.parentId !== parentId) return;
    const changes = changesOf(current);
    if (changes === undefined) return;
    const { v, ownerId } = current;
    const set = { ...changes, updatedAt: nowSeconds(forge.clock), v: v + 1 };
    const isVisible = changes.isPrivate !== undefined;
    const following = isVisible ? startJob(forge, "follow-visibility", { repositoryId: forkId }) : undefined;
    const { committed } = await forge.table.transact([
      update(
        repositoryKey(forkId),
        { set, ...(changes.isFork === false ? { unset: ["parentId"] } : {}) },
        equals({ v, state: "live" }),
      ),
      repositoryTail({ ...current, ...set }),
      ...(isVisible
        ? [update(cardKey(ownerId, forkId), { set: { isPrivate: changes.isPrivate }, add: { v: 1 } }, exists)]
        : []),
      ...(following === undefined ? [] : [following.write]),
    ]);
    if (!committed) continue;
    if (following !== undefined) await send(forge, [following.message]);
    return;
  }
  throw new Error(`fork ${forkId} is being changed by others`);
}
