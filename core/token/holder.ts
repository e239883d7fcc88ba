import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { accountProblem } from "../access/account.ts";
import type { Actor, TokenGrant } from "../actor.ts";
import { type Clock, nowSeconds } from "../clock.ts";
import type { Forge } from "../forge.ts";
import { findValidLogin, validityKeys } from "../oauth2-grant/valid-login.ts";
import { ownerKey } from "../owner/owner.table.ts";
import { renewTaskActor } from "../runner/task-actor.ts";
import { type Item, keyText, type TableKey } from "../table/write.ts";
import type { User } from "../user/user.table.ts";
import { type Token, type TokenGuard, tokenGuardKey, tokenKey } from "./token.table.ts";

/** SHA-256 in hex: 160 random bits need no salt. */
export const tokenHashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

/** A token's guard, and its owner. */
export interface TokenHolder {
  readonly guard: TokenGuard;
  readonly user: User;
}

/** The items behind a token when it was last seen: keys alone, so that one request can read all. */
const knownHolders = new LRUCache<string, { readonly userId: number; readonly parents: readonly TableKey[] }>(
  {
    max: 10_000,
  },
);

/**
 * The keys of the items that say who owns a token and whether it still counts, according to the last time, and its
 * owner then.
 */
export function tokenHolderKeys(text: string): {
  guardKey: TableKey;
  others: readonly TableKey[];
  knownUserId: number | undefined;
} {
  const guardKey = tokenGuardKey(tokenHashOf(text));
  const known = knownHolders.get(guardKey.pk);
  return { guardKey, others: known?.parents ?? [], knownUserId: known?.userId };
}

/** The token that a minted one depends on. */
const parentsOf = ({ mintedBy }: Pick<TokenGuard, "mintedBy">): TableKey[] =>
  mintedBy === undefined ? [] : [tokenKey(mintedBy.userId, mintedBy.tokenId)];

/** The meaning of a token's text, or undefined when there is no such token. Two requests at first, then one. */
export async function findTokenHolder(
  { table, clock }: Forge,
  text: string,
): Promise<TokenHolder | undefined> {
  const { guardKey, others, knownUserId } = tokenHolderKeys(text);
  const likely = [...others, ...(knownUserId === undefined ? [] : [ownerKey(knownUserId)])];
  const first = await table.getAll([guardKey, ...likely]);
  const guard = first.get(keyText(guardKey)) as TokenGuard | undefined;
  if (guard === undefined || isOver(guard, clock)) return undefined;
  const parents = parentsOf(guard);
  const needed = [ownerKey(guard.userId), ...parents];
  const isRead = needed.every((key) => likely.some((one) => keyText(one) === keyText(key)));
  const found = isRead ? first : await table.getAll(needed);
  const user = found.get(keyText(ownerKey(guard.userId))) as User | undefined;
  if (user?.kind !== "user" || parents.some((key) => !found.has(keyText(key)))) return undefined;
  knownHolders.set(guardKey.pk, { userId: user.id, parents });
  return { guard, user };
}

const isOver = ({ expiresAt }: Pick<TokenGuard, "expiresAt">, clock: Clock): boolean =>
  (expiresAt ?? Number.POSITIVE_INFINITY) <= nowSeconds(clock);

/** The keys that `renewActor` reads of every caller. */
export const renewalKeys = ({ user, grant, sudoBy, task }: Actor): TableKey[] =>
  task !== undefined
    ? []
    : [
        ...[user.id, ...(sudoBy === undefined ? [] : [sudoBy])].map(ownerKey),
        ...(grant === undefined ? [] : grantKeys(grant)),
      ];

const grantKeys = ({ oauth2, holderId, tokenId }: TokenGrant): TableKey[] =>
  oauth2 === undefined ? [tokenKey(holderId, tokenId)] : validityKeys(holderId, oauth2);

/**
 * The caller as they are now, for work that outlasts their login; undefined when their credential would not let them in
 * any more: the token or the password has changed, or the account may do nothing.
 */
export async function renewActor(forge: Forge, actor: Actor): Promise<Actor | undefined> {
  const { table } = forge;
  if (actor.task !== undefined) return renewTaskActor({ table }, actor.task.taskId);
  const { user: before, grant, sudoBy } = actor;
  const found = await table.getAll(renewalKeys(actor));
  const accountOf = (id: number) => found.get(keyText(ownerKey(id))) as User | undefined;
  const user = accountOf(before.id);
  const operator = sudoBy === undefined ? undefined : accountOf(sudoBy);
  const holder = sudoBy === undefined ? user : operator;
  if (user?.kind !== "user" || holder?.kind !== "user" || accountProblem(holder) !== undefined) {
    return undefined;
  }
  if (sudoBy !== undefined && !holder.isAdmin) return undefined;
  if (grant === undefined) {
    return sudoBy === undefined && user.passwordHash !== before.passwordHash ? undefined : { ...actor, user };
  }
  return (await isStanding(forge, found, grant)) ? { ...actor, user } : undefined;
}

/** Whether a token still counts, by items that were read. */
async function isStanding(
  { table, clock, config }: Forge,
  found: ReadonlyMap<string, Item>,
  grant: TokenGrant,
): Promise<boolean> {
  const { oauth2, holderId, tokenId } = grant;
  if (oauth2 !== undefined) {
    return !isOver(grant, clock) && findValidLogin(config, found, holderId, oauth2) !== undefined;
  }
  const token = found.get(keyText(tokenKey(holderId, tokenId))) as Token | undefined;
  if (token === undefined || isOver(token, clock)) return false;
  const [parent] = parentsOf(token);
  return parent === undefined || (await table.get(parent)) !== undefined;
}
