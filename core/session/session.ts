import { createHash, randomBytes } from "node:crypto";
import { accountProblem } from "../access/account.ts";
import { nowSeconds } from "../clock.ts";
import { notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { ownerKey, userPartition } from "../owner/owner.table.ts";
import { equals, exists } from "../table/condition.ts";
import { check, keyText, put, remove, update } from "../table/write.ts";
import type { User } from "../user/user.table.ts";
import { type Session, sessionKey, sessionPrefix } from "./session.table.ts";
import { standingOf } from "./standing.ts";

const secretBytes = 32;
/** The oldest end when a user signs in once more. */
const mostPerUser = 100;
const longestUserAgent = 200;
const longestNoteSeconds = 3600;

/** Where somebody signs in: shown in the list of their sessions. */
export interface SignInPlace {
  readonly address: string;
  readonly userAgent: string;
}

/** A session with its user. */
export interface OpenSession {
  readonly session: Session;
  readonly user: User;
}

/**
 * Opens a session for a user as they were when they proved who they are, and answers the value of its cookie, which is
 * shown only this once. NotFound when the user is gone meanwhile.
 */
export async function openSession(forge: Forge, user: User, place: SignInPlace): Promise<string> {
  const secret = randomBytes(secretBytes).toString("base64url");
  const id = hashOf(secret);
  const now = nowSeconds(forge.clock);
  const session: Session = {
    ...sessionKey(user.id, id),
    ...{ id, userId: user.id, standing: standingOf(user), createdAt: now, usedAt: now },
    address: place.address,
    userAgent: place.userAgent.slice(0, longestUserAgent),
    ttl: endOf(forge, { createdAt: now, usedAt: now }),
    _v: 1,
  };
  const isThere = check(ownerKey(user.id), equals({ kind: "user" }));
  const { committed } = await forge.table.transact([isThere, put(session)]);
  if (!committed) throw notFound("the user is not there any more");
  await endOldest(forge, user.id);
  return `${user.id}.${secret}`;
}

/**
 * The session that a cookie's value opens, with its user; undefined when it opens none: it was idle or lasted for too
 * long, was ended, the account's password changed, or the account is gone or may do nothing. One request to the table.
 */
export async function findSession(forge: Forge, cookie: string): Promise<OpenSession | undefined> {
  const [, userId, secret] = /^([1-9]\d{0,14})\.([\w-]{43})$/.exec(cookie) ?? [];
  if (userId === undefined || secret === undefined) return undefined;
  const [key, owner] = [sessionKey(Number(userId), hashOf(secret)), ownerKey(Number(userId))];
  const found = await forge.table.getAll([key, owner]);
  const session = found.get(keyText(key)) as Session | undefined;
  const user = found.get(keyText(owner)) as User | undefined;
  if (session === undefined || user?.kind !== "user") return undefined;
  const isOpen = isOpenFor(forge, session, user) && accountProblem(user) === undefined;
  return isOpen ? { session, user } : undefined;
}

/** Notes that a session is used, so that it is not idle: now and then, and never one that was ended meanwhile. */
export async function noteSessionUse(forge: Forge, session: Session): Promise<void> {
  const now = nowSeconds(forge.clock);
  const interval = Math.min(longestNoteSeconds, forge.config.sessionIdleSeconds / 10);
  if (now < session.usedAt + interval) return;
  const ttl = endOf(forge, { ...session, usedAt: now });
  await forge.table.write(update(session, { set: { usedAt: now, ttl } }, exists));
}

/** The open sessions of a user, the last used first. */
export async function listSessions(forge: Forge, user: User): Promise<Session[]> {
  const all = await allOf(forge, user.id);
  return all
    .filter((session) => isOpenFor(forge, session, user))
    .toSorted((a, b) => b.usedAt - a.usedAt || b.createdAt - a.createdAt);
}

/** Ends a session of a user; nothing happens when they have no such one. */
export const endSession = (forge: Forge, userId: number, id: string): Promise<unknown> =>
  forge.table.write(remove(sessionKey(userId, id)));

/** Ends all sessions of a user, but the one to `keep`. */
export async function endSessions(forge: Forge, userId: number, keep?: string): Promise<void> {
  const all = await allOf(forge, userId);
  await forge.table.removeAll(all.filter(({ id }) => id !== keep));
}

const allOf = (forge: Forge, userId: number): Promise<Session[]> =>
  forge.table.queryAll<Session>({ pk: userPartition(userId), prefix: sessionPrefix });

async function endOldest(forge: Forge, userId: number): Promise<void> {
  const all = await allOf(forge, userId);
  if (all.length <= mostPerUser) return;
  const byAge = all.toSorted((a, b) => b.createdAt - a.createdAt);
  await forge.table.removeAll(byAge.slice(mostPerUser));
}

const isOpenFor = (forge: Forge, session: Session, user: User): boolean =>
  session.standing === standingOf(user) && nowSeconds(forge.clock) < endOf(forge, session);

/** When a session is over if nobody uses it any more. */
const endOf = ({ config }: Forge, { createdAt, usedAt }: Pick<Session, "createdAt" | "usedAt">): number =>
  Math.min(usedAt + config.sessionIdleSeconds, createdAt + config.sessionDays * 86_400);

/** 256 random bits need no salt. */
const hashOf = (secret: string): string => createHash("sha256").update(secret).digest("hex");
