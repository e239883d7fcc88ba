import { findAccessById } from "../access/repository-access.ts";
import { blockedRefusal, unblocked } from "../block/unblocked.ts";
import { nowSeconds } from "../clock.ts";
import { attempts } from "../concurrency/attempts.ts";
import { defined } from "../defined.ts";
import { conflict, notFound } from "../errors.ts";
import { outbox, send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import { ownerKey } from "../owner/owner.table.ts";
import { repositoryCountsWrite, splitCounts } from "../repository/counts.ts";
import { type Repository, repositoryKey } from "../repository/repository.table.ts";
import { absent, equals } from "../table/condition.ts";
import { keyText, put, remove, type Write } from "../table/write.ts";
import type { Query } from "../table.ts";
import type { User } from "../user/user.table.ts";
import { starCountWrite } from "./internal/star-count.ts";
import {
  type StarOrWatch,
  type StarOrWatchKind,
  starAndWatchItems,
  starAndWatchKinds,
  starOrWatchKey,
  starOrWatchMirrorKey,
  starsAndWatchesOfRepository,
  starsAndWatchesOfUser,
  type WatchMode,
} from "./star-watch.table.ts";

/** The members of a repository that a star or watch needs. */
export type StarredOrWatched = Pick<Repository, "id" | "ownerId" | "shards">;

const mostAttempts = 20;
/** After this many conflicts in a row the counts are split, and the transaction is built anew. */
const mostConflicts = 3;
const countOf = { star: "stars", watch: "watchers" } as const;
const counts = (mode: WatchMode | undefined): number => (mode === "asked" || mode === "auto" ? 1 : 0);

/** A user's star or watch of a repository, or undefined. */
export const findStarOrWatch = (
  { table }: Forge,
  kind: StarOrWatchKind,
  repositoryId: number,
  userId: number,
): Promise<StarOrWatch | undefined> => table.get<StarOrWatch>(starOrWatchKey(kind, repositoryId, userId));

/**
 * A list reads so many stars or watches: whoever made 100,000 must not make each request read them all. They lie by id
 * and are listed by time, so no page can be read alone.
 */
const mostRead = 10_000;

/** The other ends of somebody's stars or watches; `isWhole` is false when there may be more than were read. */
export interface RelatedIds {
  readonly ids: readonly number[];
  readonly isWhole: boolean;
}

/** The users who starred or watch a repository, oldest first; of more than 10,000 the accounts that were made first. */
export async function listStarsOrWatchesOfRepository(
  forge: Forge,
  kind: StarOrWatchKind,
  repositoryId: number,
): Promise<RelatedIds> {
  const { rows, isWhole } = await readRun(forge, starsAndWatchesOfRepository(kind, repositoryId));
  rows.sort((one, other) => one.createdAt - other.createdAt || one.userId - other.userId);
  return { ids: rows.map(({ userId }) => userId), isWhole };
}

/**
 * The repositories that a user starred or watches, newest first, by id: some may be gone, or hidden from them. Of more
 * than 10,000 those that were made last.
 */
export async function listStarsOrWatchesOfUser(
  forge: Forge,
  kind: StarOrWatchKind,
  userId: number,
): Promise<RelatedIds> {
  const run = { ...starsAndWatchesOfUser(kind, userId), reverse: true };
  const { rows, isWhole } = await readRun(forge, run);
  rows.sort((one, other) => other.createdAt - one.createdAt || other.repositoryId - one.repositoryId);
  return { ids: rows.map(({ repositoryId }) => repositoryId), isWhole };
}

async function readRun({ table }: Forge, run: Query): Promise<{ rows: StarOrWatch[]; isWhole: boolean }> {
  const read = await table.queryAll<StarOrWatch>({ ...run, limit: mostRead + 1 });
  const rows = read.slice(0, mostRead).filter(({ mode }) => counts(mode) > 0);
  return { rows, isWhole: read.length <= mostRead };
}

/**
 * Changes a user's star or watch to the result of `next` for the present one, with the repository's count, in one
 * transaction: the count is exact whoever else does the same; for stars the user's count, too. 403 for a new one when
 * owner and user block each other; Conflict when rivals never end.
 */
export async function changeStarOrWatch(
  forge: Forge,
  kind: StarOrWatchKind,
  repository: StarredOrWatched,
  userId: number,
  next: (before: WatchMode | undefined) => WatchMode | undefined,
): Promise<void> {
  let { shards } = repository;
  for await (const _attempt of attempts(mostAttempts)) {
    const { before, isThere } = await readStarOrWatch(forge, kind, repository.id, userId);
    const mode = next(before?.mode);
    if (mode === before?.mode) return;
    const by = counts(mode) - counts(before?.mode);
    const isCounted = kind === "star" && by !== 0;
    if (isCounted && by > 0 && !isThere) throw notFound("the account was deleted meanwhile");
    const createdAt = nowSeconds(forge.clock);
    const starOrWatch = { userId, repositoryId: repository.id, mode, createdAt };
    const isOther = by > 0 && repository.ownerId !== userId;
    const unblockedWrites = isOther
      ? [unblocked(repository.ownerId, userId), unblocked(userId, repository.ownerId)]
      : [];
    const event = isCounted ? outbox(forge, ...activityMessage(repository.id)) : undefined;
    const writes = [
      ...starOrWatchWrites(kind, starOrWatch, before),
      ...unblockedWrites,
      ...(isCounted && isThere ? [starCountWrite(userId, by)] : []),
      ...(event === undefined ? [] : [event.write]),
      ...(by === 0 ? [] : [repositoryCountsWrite(repository.id, shards, { [countOf[kind]]: by })]),
    ];
    const outcome = await forge.table.transact(writes, { mostConflicts });
    if (outcome.committed) return send(forge, event === undefined ? [] : [event]);
    if (isOther && outcome.failed.some((place) => place === 2 || place === 3)) throw blockedRefusal();
    if (by !== 0 && outcome.contended.includes(writes.length - 1)) {
      shards = await splitCounts(forge, repository.id, shards);
    }
  }
  throw conflict("the repository is being changed by others; try again");
}

/** The star or watch; for stars also whether the user, who counts it, exists. */
async function readStarOrWatch(
  { table }: Forge,
  kind: StarOrWatchKind,
  repositoryId: number,
  userId: number,
) {
  const [key, ownerAt] = [starOrWatchKey(kind, repositoryId, userId), ownerKey(userId)];
  const found = await table.getAll(kind === "star" ? [key, ownerAt] : [key]);
  const before = found.get(keyText(key)) as StarOrWatch | undefined;
  return { before, isThere: found.has(keyText(ownerAt)) };
}

/** Its two items, on the condition that it is as it was read. */
function starOrWatchWrites(
  kind: StarOrWatchKind,
  given: Pick<StarOrWatch, "userId" | "repositoryId" | "createdAt"> & {
    readonly mode: WatchMode | undefined;
  },
  before: StarOrWatch | undefined,
): Write[] {
  const { userId, repositoryId, mode, createdAt } = given;
  const isAsRead = before === undefined ? absent : equals({ mode: before.mode });
  if (mode === undefined) {
    return [
      remove(starOrWatchKey(kind, repositoryId, userId), isAsRead),
      remove(starOrWatchMirrorKey(kind, userId, repositoryId)),
    ];
  }
  const [row, mirror] = starAndWatchItems(kind, { userId, repositoryId, mode, createdAt });
  return [put(row, isAsRead), put(mirror)];
}

/** Lists sort by stars: the worker brings their number there. */
const activityMessage = (repositoryId: number) =>
  ["repository-events", { kind: "note-activity", repositoryId }] as const;

/** Ends the star and watch of a user on a repository, refusals too, whatever has become of the two. */
async function forgetStarsAndWatches(forge: Forge, userId: number, repositoryId: number): Promise<void> {
  const repository = await forge.table.get<Repository>(repositoryKey(repositoryId));
  for (const kind of starAndWatchKinds) {
    if (repository === undefined) {
      const keys = [
        starOrWatchKey(kind, repositoryId, userId),
        starOrWatchMirrorKey(kind, userId, repositoryId),
      ];
      await forge.table.removeAll(keys);
    } else {
      await changeStarOrWatch(forge, kind, repository, userId, () => undefined);
    }
  }
}

/** Ends them for a user who may not see a repository any more: for code that has taken a right, or hidden it. */
export async function forgetStarsAndWatchesIfHidden(
  forge: Forge,
  userId: number,
  repositoryId: number,
): Promise<void> {
  const { table } = forge;
  const [user, repository] = await Promise.all([
    table.get<User>(ownerKey(userId)),
    table.get<Repository>(repositoryKey(repositoryId)),
  ]);
  if (user === undefined || repository?.state !== "live") return;
  const access = await findAccessById(forge, { user }, repositoryId, repository.ownerId);
  if (access !== undefined) return;
  await forgetStarsAndWatches(forge, userId, repositoryId);
}

const starsOrWatchesPerStep = 50;

/** The progress of a walk over a repository's stars, then watches. */
export interface StarOrWatchCursor {
  readonly kind: StarOrWatchKind;
  readonly after?: string;
}

/** The same for some users of a repository that has become private; answers where to continue, if there are more. */
export async function forgetHiddenStarsAndWatchesOfRepository(
  forge: Forge,
  repositoryId: number,
  { kind, after }: StarOrWatchCursor,
): Promise<StarOrWatchCursor | undefined> {
  const page = await forge.table.query<StarOrWatch>({
    ...starsAndWatchesOfRepository(kind, repositoryId),
    limit: starsOrWatchesPerStep,
    ...defined({ after }),
  });
  for (const { userId } of page.items) await forgetStarsAndWatchesIfHidden(forge, userId, repositoryId);
  if (page.next !== undefined) return { kind, after: page.next };
  return kind === "star" ? { kind: "watch" } : undefined;
}

/** Ends some stars and watches of a deleted user; answers whether there were any, and whether more are left. */
export async function forgetSomeStarsAndWatches(
  forge: Forge,
  userId: number,
): Promise<{ readonly hasFound: boolean; readonly hasMore: boolean }> {
  const found = await Promise.all(
    starAndWatchKinds.map((kind) =>
      forge.table.queryAll<StarOrWatch>({
        ...starsAndWatchesOfUser(kind, userId),
        limit: starsOrWatchesPerStep,
      }),
    ),
  );
  const ids = new Set(found.flat().map(({ repositoryId }) => repositoryId));
  for (const id of ids) await forgetStarsAndWatches(forge, userId, id);
  return {
    hasFound: ids.size > 0,
    hasMore: found.some((starsAndWatches) => starsAndWatches.length === starsOrWatchesPerStep),
  };
}

/** Ends a user's stars and watches on an owner's repositories, for a block between the two. */
export const forgetStarsAndWatchesAtOwner = async (
  forge: Forge,
  userId: number,
  ownerId: number,
): Promise<void> =>
  forgetEach(forge, ownerId, await starredOrWatched(forge, userId), (id) =>
    forgetStarsAndWatches(forge, userId, id),
  );

/** As `forgetStarsAndWatchesIfHidden`, for all repositories of an owner: for a user with fewer rights than before. */
export async function forgetHiddenStarsAndWatchesAtOwner(
  forge: Forge,
  userId: number,
  ownerId: number,
): Promise<void> {
  await forgetEach(forge, ownerId, await starredOrWatched(forge, userId), (id) =>
    forgetStarsAndWatchesIfHidden(forge, userId, id),
  );
}

async function starredOrWatched({ table }: Forge, userId: number): Promise<number[]> {
  const found = await Promise.all(
    starAndWatchKinds.map((kind) => table.queryAll<StarOrWatch>(starsAndWatchesOfUser(kind, userId))),
  );
  return found.flat().map(({ repositoryId }) => repositoryId);
}

async function forgetEach(
  { table }: Forge,
  ownerId: number,
  repositoryIds: readonly number[],
  forgetOne: (repositoryId: number) => Promise<void>,
): Promise<void> {
  const ids = [...new Set(repositoryIds)];
  const repositories = await table.getAll<Repository>(ids.map(repositoryKey));
  for (const id of ids) {
    if (repositories.get(keyText(repositoryKey(id)))?.ownerId === ownerId) await forgetOne(id);
  }
}
