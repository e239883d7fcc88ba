import { createHash, randomBytes } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { TokenGrant } from "../actor.ts";
import { nowSeconds } from "../clock.ts";
import { badRequest, forbidden, invalid, notFound, unprocessable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { nextId } from "../ids.ts";
import { userPartition } from "../owner/owner.table.ts";
import { absent, exists, keyText, put, remove, type TableKey, update } from "../table.ts";
import { type User, userKey } from "../user/user.table.ts";
import { isWithin, normalizeScopes, unknownScope } from "./scope.ts";
import {
  type Token,
  type TokenGuard,
  tokenGuardKey,
  tokenKey,
  tokenNameKey,
  tokenPrefix,
} from "./token.table.ts";

const lastUseIntervalSeconds = 3600;
/** Token hash → when its use was last looked at, so that most requests ask nothing. */
const recentUses = new LRUCache<string, number>({ max: 10_000 });
const longestName = 255;

/** SHA-256 in hex: 160 random bits need no salt. */
export const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

/**
 * Creates a token of `owner` and answers it with its text, which is shown this once. `grant` is the token that the
 * caller used, if any: the new one may have no more, and last no longer (D-TOKEN).
 */
export async function create(
  forge: Forge,
  owner: User,
  given: { name: string; scopes: readonly string[]; expiresAt?: number | undefined },
  grant?: TokenGrant,
): Promise<{ token: Token; text: string }> {
  const scopes = checkedScopes(given.scopes, grant);
  if (given.name.length > longestName) throw unprocessable(`[Name]: MaxSize ${longestName}`);
  const expiry = checkedExpiry(forge, given.expiresAt, grant);
  const text = randomBytes(20).toString("hex");
  const id = await nextId(forge.table, "token");
  const token: Token = {
    ...tokenKey(owner.id, id),
    id,
    userId: owner.id,
    name: given.name,
    hash: hashOf(text),
    lastEight: text.slice(-8),
    scopes,
    createdAt: nowSeconds(forge.clock),
    lastUsedAt: 0,
    ...expiry,
    _v: 1,
  };
  const guard: TokenGuard = {
    ...tokenGuardKey(token.hash),
    tokenId: id,
    userId: owner.id,
    scopes,
    ...expiry,
    _v: 1,
  };
  const outcome = await forge.table.transact([
    put({ ...tokenNameKey(owner.id, given.name), tokenId: id, _v: 1 }, absent),
    put(token, absent),
    put(guard, absent),
  ]);
  if (!outcome.committed) throw badRequest(`access token name has been used already [name: ${given.name}]`);
  return { token, text };
}

function checkedExpiry(
  { clock }: Forge,
  asked: number | undefined,
  grant: TokenGrant | undefined,
): { expiresAt?: number } {
  if (asked !== undefined && asked <= nowSeconds(clock)) throw invalid("ExpiresAt", "is over already");
  const mostSeconds = grant?.expiresAt ?? Number.POSITIVE_INFINITY;
  if ((asked ?? Number.POSITIVE_INFINITY) > mostSeconds) {
    throw forbidden("a token can't create a token that lasts longer than itself: set expires_at");
  }
  return asked === undefined ? {} : { expiresAt: asked };
}

function checkedScopes(asked: readonly string[], grant: TokenGrant | undefined): string[] {
  const unknown = unknownScope(asked);
  if (unknown !== undefined) throw badRequest(`invalid access token scope provided: ${unknown}`);
  const scopes = normalizeScopes(asked);
  if (scopes.every((scope) => scope === "public-only")) {
    throw badRequest("an access token needs at least one scope, such as read:repository or all");
  }
  if (grant !== undefined && !isWithin(scopes, grant.scopes)) {
    throw forbidden("a token can't create a token with more scopes than its own");
  }
  return scopes;
}

/** All tokens of a user, newest first. */
export const list = (forge: Forge, owner: User): Promise<Token[]> =>
  forge.table.queryAll<Token>({ pk: userPartition(owner.id), prefix: tokenPrefix, reverse: true });

/** Removes a token by its id, or by its name when the text is no number. NotFound when the user has none such. */
export async function removeByIdOrName(forge: Forge, owner: User, idOrName: string): Promise<void> {
  const tokens = await list(forge, owner);
  const isNumber = /^\d+$/.test(idOrName);
  const found = tokens.find((token) => (isNumber ? token.id === Number(idOrName) : token.name === idOrName));
  if (found === undefined) throw notFound(`access token does not exist [token: ${idOrName}]`);
  const outcome = await forge.table.transact([
    remove(tokenKey(owner.id, found.id), exists),
    remove(tokenGuardKey(found.hash)),
    remove(tokenNameKey(owner.id, found.name)),
  ]);
  if (!outcome.committed) throw notFound(`access token does not exist [token: ${idOrName}]`);
}

/** A token's guard, and whose it is. */
export interface TokenHolder {
  readonly guard: TokenGuard;
  readonly user: User;
}

/** Whose a token was when it was last seen, by its hash: an id alone, so that both can be read in one request. */
const knownHolders = new LRUCache<string, number>({ max: 10_000 });

/** What says whose a token is, and whose it was when it was last seen. */
export function holderKey(text: string): { key: TableKey; knownUserId: number | undefined } {
  const key = tokenGuardKey(hashOf(text));
  return { key, knownUserId: knownHolders.get(key.pk) };
}

/** What a token's text stands for, or undefined when there is no such token. Two requests at first, then one. */
export async function findHolder({ table, clock }: Forge, text: string): Promise<TokenHolder | undefined> {
  const { key, knownUserId: known } = holderKey(text);
  const found = await table.getAll([key, ...(known === undefined ? [] : [userKey(known)])]);
  const guard = found.get(keyText(key)) as TokenGuard | undefined;
  if (guard === undefined || (guard.expiresAt ?? Number.POSITIVE_INFINITY) <= nowSeconds(clock))
    return undefined;
  const ownerKey = userKey(guard.userId);
  const user = (guard.userId === known ? found.get(keyText(ownerKey)) : await table.get(ownerKey)) as
    | User
    | undefined;
  if (user?.kind !== "user") return undefined;
  knownHolders.set(key.pk, user.id);
  return { guard, user };
}

/**
 * Notes that a token was used; writes at most once an hour (D-TOKEN-USE). Called after the answer. What can't be noted
 * on a full disk is not: reading goes on there.
 */
export async function noteUse({ table, clock }: Forge, guard: TokenGuard): Promise<void> {
  const now = nowSeconds(clock);
  const notedAt = Math.max(guard.usedAt ?? 0, recentUses.get(guard.pk) ?? 0);
  if (now - notedAt < lastUseIntervalSeconds) return;
  recentUses.set(guard.pk, now);
  await Promise.all([
    table.write(update(tokenGuardKey(guard.pk.slice("TOK#".length)), { set: { usedAt: now } }, exists)),
    table.write(update(tokenKey(guard.userId, guard.tokenId), { set: { lastUsedAt: now } }, exists)),
  ]);
}
