import { findAccessById } from "../access/repository-access.ts";
import { attempts } from "../attempts.ts";
import { blockedRefusal, unblocked } from "../block/unblocked.ts";
import { nowSeconds } from "../clock.ts";
import { defined } from "../defined.ts";
import { conflict, notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { outbox, send } from "../outbox.ts";
import { ownerKey } from "../owner/owner.table.ts";
import { repositoryCountsWrite, splitCounts } from "../repository/counts.ts";
import { type Repository, repositoryKey } from "../repository/repository.table.ts";
import { absent, equals } from "../table/condition.ts";
import { keyText, put, remove, type Write } from "../table/write.ts";
import type { User } from "../user/user.table.ts";
import { starCountWrite } from "./internal/star-count.ts";
import {
  type Mark,
  type MarkKind,
  type MarkMode,
  markItems,
  markKey,
  markKinds,
  markMirrorKey,
  marksOfRepository,
  marksOfUser,
} from "./mark.table.ts";

/** The members of a repository that a star or watch needs. */
export type Marked = Pick<Repository, "id" | "ownerId" | "shards">;

const mostAttempts = 20;
/** After this many conflicts in a row the counts are split, and the transaction is built anew. */
const mostConflicts = 3;
const countOf = { star: "stars", watch: "watchers" } as const;
const counts = (mode: MarkMode | undefined): number => (mode === "asked" || mode === "auto" ? 1 : 0);

/** A user's star or watch of a repository, or undefined. */
export const findMark = (
  { table }: Forge,
  kind: MarkKind,
  repositoryId: number,
  userId: number,
): Promise<Mark | undefined> => table.get<Mark>(markKey(kind, repositoryId, userId));

/** The users who starred or watch a repository, oldest first. */
export async function listMarksOfRepository(
  { table }: Forge,
  kind: MarkKind,
  repositoryId: number,
): Promise<number[]> {
  const marks = await table.queryAll<Mark>(marksOfRepository(kind, repositoryId));
  return marks
    .filter(({ mode }) => counts(mode) > 0)
    .sort((one, other) => one.createdAt - other.createdAt || one.userId - other.userId)
    .map(({ userId }) => userId);
}

/** The repositories that a user starred or watches, newest first, by id: some may be gone, or hidden from them. */
export async function listMarksOfUser({ table }: Forge, kind: MarkKind, userId: number): Promise<number[]> {
  const marks = await table.queryAll<Mark>(marksOfUser(kind, userId));
  return marks
    .filter(({ mode }) => counts(mode) > 0)
    .sort((one, other) => other.createdAt - one.createdAt || other.repositoryId - one.repositoryId)
    .map(({ repositoryId }) => repositoryId);
}

/**
 * Changes a user's star or watch to the result of `next` for the present one, with the repository's count, in one
 * transaction: the count is exact whoever else does the same; for stars the user's count, too. 403 for a new one when
 * owner and user block each other; Conflict when rivals never end.
 */
export async function changeMark(
  forge: Forge,
  kind: MarkKind,
  repository: Marked,
  userId: number,
  next: (before: MarkMode | undefined) => MarkMode | undefined,
): Promise<void> {
  let { shards } = repository;
  for await (const _attempt of attempts(mostAttempts)) {
    const { before, isThere } = await readMark(forge, kind, repository.id, userId);
    const mode = next(before?.mode);
    if (mode === before?.mode) return;
    const by = counts(mode) - counts(before?.mode);
    const isCounted = kind === "star" && by !== 0;
    if (isCounted && by > 0 && !isThere) throw notFound("the account was deleted meanwhile");
    const createdAt = nowSeconds(forge.clock);
    const mark = { userId, repositoryId: repository.id, mode, createdAt };
    const isOther = by > 0 && repository.ownerId !== userId;
    const unblockedWrites = isOther
      ? [unblocked(repository.ownerId, userId), unblocked(userId, repository.ownerId)]
      : [];
    const event = isCounted ? outbox(forge, ...activityMessage(repository.id)) : undefined;
    const writes = [
      ...markWrites(kind, mark, before),
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
async function readMark({ table }: Forge, kind: MarkKind, repositoryId: number, userId: number) {
  const [key, userAt] = [markKey(kind, repositoryId, userId), ownerKey(userId)];
  const found = await table.getAll(kind === "star" ? [key, userAt] : [key]);
  const before = found.get(keyText(key)) as Mark | undefined;
  return { before, isThere: found.has(keyText(userAt)) };
}

/** Its two items, on the condition that it is as it was read. */
function markWrites(
  kind: MarkKind,
  given: Pick<Mark, "userId" | "repositoryId" | "createdAt"> & { readonly mode: MarkMode | undefined },
  before: Mark | undefined,
): Write[] {
  const { userId, repositoryId, mode, createdAt } = given;
  const isAsRead = before === undefined ? absent : equals({ mode: before.mode });
  if (mode === undefined) {
    return [
      remove(markKey(kind, repositoryId, userId), isAsRead),
      remove(markMirrorKey(kind, userId, repositoryId)),
    ];
  }
  const [row, mirror] = markItems(kind, { userId, repositoryId, mode, createdAt });
  return [put(row, isAsRead), put(mirror)];
}

/** Lists sort by stars: the worker brings their number there. */
const activityMessage = (repositoryId: number) =>
  ["repository-events", { kind: "note-activity", repositoryId }] as const;

/** Ends the star and watch of a user on a repository, refusals too, whatever has become of the two. */
export async function forgetMarks(forge: Forge, userId: number, repositoryId: number): Promise<void> {
  const repository = await forge.table.get<Repository>(repositoryKey(repositoryId));
  for (const kind of markKinds) {
    if (repository === undefined) {
      const keys = [markKey(kind, repositoryId, userId), markMirrorKey(kind, userId, repositoryId)];
      await forge.table.removeAll(keys);
    } else {
      await changeMark(forge, kind, repository, userId, () => undefined);
    }
  }
}

/** Ends them for a user who may not see a repository any more: for code that has taken a right, or hidden it. */
export async function forgetMarksIfHidden(forge: Forge, userId: number, repositoryId: number): Promise<void> {
  const { table } = forge;
  const [user, repository] = await Promise.all([
    table.get<User>(ownerKey(userId)),
    table.get<Repository>(repositoryKey(repositoryId)),
  ]);
  if (user === undefined || repository?.state !== "live") return;
  const access = await findAccessById(forge, { user }, repositoryId, repository.ownerId);
  if (access === undefined) await forgetMarks(forge, userId, repositoryId);
}

const marksPerStep = 50;

/** The progress of a walk over a repository's stars, then watches. */
export interface MarkCursor {
  readonly kind: MarkKind;
  readonly after?: string;
}

/** The same for some users of a repository that has become private; answers where to continue, if there are more. */
export async function forgetMarksOfWhoLostSight(
  forge: Forge,
  repositoryId: number,
  { kind, after }: MarkCursor,
): Promise<MarkCursor | undefined> {
  const page = await forge.table.query<Mark>({
    ...marksOfRepository(kind, repositoryId),
    limit: marksPerStep,
    ...defined({ after }),
  });
  for (const { userId } of page.items) await forgetMarksIfHidden(forge, userId, repositoryId);
  if (page.next !== undefined) return { kind, after: page.next };
  return kind === "star" ? { kind: "watch" } : undefined;
}

/** Ends some stars and watches of a deleted user; answers whether there were any, and whether more are left. */
export async function forgetSomeMarks(
  forge: Forge,
  userId: number,
): Promise<{ readonly hasFound: boolean; readonly hasMore: boolean }> {
  const found = await Promise.all(
    markKinds.map((kind) =>
      forge.table.queryAll<Mark>({ ...marksOfUser(kind, userId), limit: marksPerStep }),
    ),
  );
  const ids = new Set(found.flat().map(({ repositoryId }) => repositoryId));
  for (const id of ids) await forgetMarks(forge, userId, id);
  return { hasFound: ids.size > 0, hasMore: found.some((marks) => marks.length === marksPerStep) };
}

/** Ends a user's stars and watches on an owner's repositories, for a block between the two. */
export const forgetMarksAtOwner = (forge: Forge, userId: number, ownerId: number): Promise<void> =>
  forgetEach(forge, userId, ownerId, forgetMarks);

/** The same for repositories that the user may not see any more: for a user with fewer rights there than before. */
export const forgetHiddenMarksAtOwner = (forge: Forge, userId: number, ownerId: number): Promise<void> =>
  forgetEach(forge, userId, ownerId, forgetMarksIfHidden);

async function forgetEach(
  forge: Forge,
  userId: number,
  ownerId: number,
  forgetOne: typeof forgetMarks,
): Promise<void> {
  const found = await Promise.all(
    markKinds.map((kind) => forge.table.queryAll<Mark>(marksOfUser(kind, userId))),
  );
  const ids = [...new Set(found.flat().map(({ repositoryId }) => repositoryId))];
  const repositories = await forge.table.getAll<Repository>(ids.map(repositoryKey));
  for (const id of ids) {
    if (repositories.get(keyText(repositoryKey(id)))?.ownerId === ownerId) await forgetOne(forge, userId, id);
  }
}
