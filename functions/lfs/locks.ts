import type { Actor } from "#core/actor";
import { badRequest, notFound, unauthorized } from "#core/errors";
import type { Forge } from "#core/forge";
import type { LfsLock } from "#core/lfs/lfs.table";
import { createLfsLock, findLfsLock, findLfsLockByPath, listLfsLocks, removeLfsLock } from "#core/lfs/lock";
import { findUsersById } from "#core/user/find";
import { ghostUser } from "#core/user/system-users";
import { z } from "#zod";
import { timestamp } from "../http/timestamps.ts";
import { lfsAnswer } from "./answer.ts";
import { readLfsBody } from "./body.ts";
import type { LfsRequest } from "./request.ts";

/** Locks as the protocol has them. Their refs are not told apart: a lock holds on all branches (semantics §55.5). */
async function presentLocks(forge: Forge, locks: readonly LfsLock[]) {
  const users = await findUsersById(forge, [...new Set(locks.map(({ ownerId }) => ownerId))]);
  return locks.map(({ id, path, ownerId, lockedAt }) => ({
    ...{ id: String(id), path, locked_at: timestamp(lockedAt) },
    owner: { name: (users.get(ownerId) ?? ghostUser).name },
  }));
}

const presentLock = async (forge: Forge, lock: LfsLock) => (await presentLocks(forge, [lock]))[0];

const cursorIn = (next: string | undefined) => (next === undefined ? {} : { next_cursor: next });

/** A positive number of a query or a body; 400 for anything else. */
function limitIn(text: string | null): number | undefined {
  if (text === null || text === "") return undefined;
  if (!/^\d{1,9}$/.test(text)) throw badRequest("limit has to be a number");
  return Number(text);
}

/** Locks of everybody: all, or that of a path or an id. */
export async function sendLocks({ forge, access, url }: LfsRequest): Promise<Response> {
  const { id: repositoryId } = access.repository;
  const { searchParams: query } = url;
  const [id, path] = [query.get("id"), query.get("path")];
  if (id) {
    if (!/^\d{1,10}$/.test(id)) throw badRequest("id has to be the number of a lock");
    const found = await findLfsLock(forge, repositoryId, Number(id));
    const locks = found === undefined || (path && found.path !== path) ? [] : [found];
    return lfsAnswer(200, { locks: await presentLocks(forge, locks) });
  }
  if (path) {
    const found = await findLfsLockByPath(forge, repositoryId, path);
    return lfsAnswer(200, { locks: await presentLocks(forge, found === undefined ? [] : [found]) });
  }
  const cursor = query.get("cursor") || undefined;
  const { locks, next } = await listLfsLocks(forge, repositoryId, {
    ...{ cursor, limit: limitIn(query.get("limit")) },
  });
  return lfsAnswer(200, { locks: await presentLocks(forge, locks), ...cursorIn(next) });
}

const lockShape = z.object({ path: z.string() });

/** Locks a path; 409 with the lock that is there already. */
export async function takeLock(asked: LfsRequest): Promise<Response> {
  const { forge, access } = asked;
  const { path } = await readLfsBody(asked, lockShape);
  const { lock, isNew } = await createLfsLock(forge, access.repository.id, signedIn(asked), path);
  const shown = { lock: await presentLock(forge, lock) };
  return isNew ? lfsAnswer(201, shown) : lfsAnswer(409, { ...shown, message: "the file is locked already" });
}

const verifyShape = z.object({ cursor: z.string().optional(), limit: z.int().min(0).optional() });

/** A page of locks, the caller's own apart from those of others: what a push must not change. */
export async function verifyLocks(asked: LfsRequest): Promise<Response> {
  const { forge, access } = asked;
  const { cursor, limit } = await readLfsBody(asked, verifyShape);
  const page = await listLfsLocks(forge, access.repository.id, {
    cursor: cursor || undefined,
    limit: limit || undefined,
  });
  const shown = await presentLocks(forge, page.locks);
  const { user } = signedIn(asked);
  const isOurs = (_: unknown, at: number) => page.locks[at]?.ownerId === user.id;
  const ours = shown.filter(isOurs);
  const theirs = shown.filter((lock) => !ours.includes(lock));
  return lfsAnswer(200, { ours, theirs, ...cursorIn(page.next) });
}

const unlockShape = z.object({ force: z.boolean().optional() });

/** Ends a lock, with force also one of somebody else. */
export async function endLock(asked: LfsRequest): Promise<Response> {
  const { forge, access, params } = asked;
  const { force = false } = await readLfsBody(asked, unlockShape);
  if (!/^\d{1,10}$/.test(params.id ?? "")) throw notFound(`lock does not exist [id: ${params.id}]`);
  const lock = await removeLfsLock(forge, access.repository.id, signedIn(asked), {
    ...{ id: Number(params.id), isForced: force },
  });
  return lfsAnswer(200, { lock: await presentLock(forge, lock) });
}

function signedIn({ actor }: LfsRequest): Actor {
  if (actor === undefined) throw unauthorized("log in to lock files");
  return actor;
}
