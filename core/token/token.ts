import { randomBytes } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { TokenGrant } from "../actor.ts";
import { nowSeconds } from "../clock.ts";
import { defined } from "../defined.ts";
import { badRequest, forbidden, invalid, notFound, unprocessable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { nextId } from "../ids.ts";
import { userPartition } from "../owner/owner.table.ts";
import { absent, exists } from "../table/condition.ts";
import { put, remove, update } from "../table/write.ts";
import type { User } from "../user/user.table.ts";
import { tokenHashOf } from "./holder.ts";
import { areScopesWithin, normalizeScopes, unknownScope } from "./scope.ts";
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
/** All are read to show a page of them. */
const mostTokens = 500;

/** Forbidden for tokens that were created with a token, or given to a program: they pass nothing on (D-TOKEN). */
export function requireOwnCredential(grant: TokenGrant | undefined, deed: string): void {
  if (grant?.isMinted !== true) return;
  throw forbidden(
    `a token that was given to a program, or created with a token, can't ${deed}: use name and password`,
  );
}

/**
 * Creates a token of `owner` and answers it with its text, which is shown only this once. `grant` is the token that the
 * caller used, if any: the new one may have no more, and last no longer (D-TOKEN).
 */
export async function createToken(
  forge: Forge,
  owner: User,
  given: { name: string; scopes: readonly string[]; expiresAt?: number | undefined },
  grant?: TokenGrant,
): Promise<{ token: Token; text: string }> {
  requireOwnCredential(grant, "create others");
  const scopes = checkedScopes(given.scopes, grant);
  if (given.name.length > longestName) throw unprocessable(`[Name]: MaxSize ${longestName}`);
  const expiry = checkedExpiry(forge, given.expiresAt, grant);
  if ((await listTokens(forge, owner)).length >= mostTokens) {
    throw unprocessable(`a user may have at most ${mostTokens} access tokens: delete some that are not used`);
  }
  const minted = grant === undefined ? {} : { mintedBy: { userId: grant.holderId, tokenId: grant.tokenId } };
  const text = randomBytes(20).toString("hex");
  const id = await nextId(forge.table, "token");
  const token: Token = {
    ...tokenKey(owner.id, id),
    id,
    userId: owner.id,
    name: given.name,
    hash: tokenHashOf(text),
    lastEight: text.slice(-8),
    scopes,
    createdAt: nowSeconds(forge.clock),
    lastUsedAt: 0,
    ...expiry,
    ...minted,
    _v: 1,
  };
  const outcome = await forge.table.transact([
    put({ ...tokenNameKey(owner.id, given.name), tokenId: id, _v: 1 }, absent),
    put(token, absent),
    put(guardOf(token), absent),
  ]);
  if (!outcome.committed) throw badRequest("access token name has been used already");
  return { token, text };
}

/** What a request finds by the token's hash alone. */
const guardOf = ({ id, userId, hash, scopes, expiresAt, mintedBy }: Token): TokenGuard => ({
  ...tokenGuardKey(hash),
  tokenId: id,
  userId,
  scopes,
  ...defined({ expiresAt, mintedBy }),
  _v: 1,
});

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
  return defined({ expiresAt: asked });
}

function checkedScopes(asked: readonly string[], grant: TokenGrant | undefined): string[] {
  const unknown = unknownScope(asked);
  if (unknown !== undefined) throw badRequest(`invalid access token scope provided: ${unknown}`);
  const scopes = normalizeScopes(asked);
  if (scopes.every((scope) => scope === "public-only")) {
    throw badRequest("an access token needs at least one scope, such as read:repository or all");
  }
  if (grant !== undefined && !areScopesWithin(scopes, grant.scopes)) {
    throw forbidden("a token can't create a token with more scopes than its own");
  }
  return scopes;
}

/** All tokens of a user, newest first. */
export const listTokens = (forge: Forge, owner: Pick<User, "id">): Promise<Token[]> =>
  forge.table.queryAll<Token>({ pk: userPartition(owner.id), prefix: tokenPrefix, reverse: true });

/** Removes a token by its id, or by its name when the text is no number. NotFound when the user has no such token. */
export async function removeTokenByIdOrName(
  forge: Forge,
  owner: Pick<User, "id">,
  idOrName: string,
): Promise<void> {
  const tokens = await listTokens(forge, owner);
  const isNumber = /^\d+$/.test(idOrName);
  const found = tokens.find((token) => (isNumber ? token.id === Number(idOrName) : token.name === idOrName));
  if (found === undefined || !(await removeOne(forge, found))) {
    throw notFound(`access token does not exist [token: ${idOrName}]`);
  }
  // They stopped working at that moment; this only removes what is left of them.
  const minted = tokens.filter(
    ({ mintedBy }) => mintedBy?.tokenId === found.id && mintedBy.userId === owner.id,
  );
  for (const token of minted) await removeOne(forge, token);
}

/** Whether the token was there to be removed. */
async function removeOne({ table }: Forge, { userId, id, hash, name }: Token): Promise<boolean> {
  const outcome = await table.transact([
    remove(tokenKey(userId, id), exists),
    remove(tokenGuardKey(hash)),
    remove(tokenNameKey(userId, name)),
  ]);
  return outcome.committed;
}

/** The token that the caller used; NotFound when they used none, or it is gone meanwhile. */
export async function getTokenOfGrant({ table }: Forge, grant: TokenGrant | undefined): Promise<Token> {
  const token =
    grant === undefined ? undefined : await table.get<Token>(tokenKey(grant.holderId, grant.tokenId));
  if (token === undefined) throw notFound("the request was not made with an access token");
  return token;
}

/** Removes the token that the caller used, and the tokens created with it. NotFound when they used none. */
export async function removeTokenOfGrant(forge: Forge, grant: TokenGrant | undefined): Promise<void> {
  const { userId, id } = await getTokenOfGrant(forge, grant);
  await removeTokenByIdOrName(forge, { id: userId }, String(id));
}

/**
 * Records that a token was used; writes at most once an hour (D-TOKEN-USE). Called after the answer. On a full disk
 * nothing is recorded: reading goes on there.
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
