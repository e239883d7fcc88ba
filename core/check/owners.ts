import { defined } from "../defined.ts";
import type { Organization } from "../organization/organization.table.ts";
import {
  administratorsKey,
  emailGuardKey,
  type NameGuard,
  nameGuardKey,
  ownerKey,
  ownerNameIsFree,
} from "../owner/owner.table.ts";
import { absent, any, equals } from "../table/condition.ts";
import { check, type Item, keyText, put, remove, update, type Write } from "../table/write.ts";
import { type Token, type TokenGuard, tokenGuardKey, tokenKey } from "../token/token.table.ts";
import {
  addressItems,
  type EmailAddress,
  type EmailGuard,
  emailAddressKey,
  type User,
} from "../user/user.table.ts";
import { asRead, type Finding, mending, shownKey } from "./finding.ts";
import type { TableFacts } from "./table-facts.ts";

/** A finding about a missing item that can be written again, as long as the items it derives from hold. */
const missing = (invariant: number, item: Item, of: string, derivedFrom: Write, when = absent): Finding => ({
  invariant,
  key: shownKey(item),
  problem: `is missing; ${of}`,
  remedy: "writes it",
  repair: mending([derivedFrom], put(item, when)),
});

/** The members of an owner's item that must still hold; for a missing item, that it is still missing. */
const ownerCheck = <Owner extends User | Organization>(
  id: number,
  owner: Owner | undefined,
  ...attributes: readonly (string & keyof Owner)[]
): Write =>
  check(
    ownerKey(id),
    owner === undefined ? absent : equals(Object.fromEntries(attributes.map((name) => [name, owner[name]]))),
  );

/** Invariant 1: each owner has their name, and each name an owner. */
export function checkNames({ owners, nameGuards }: TableFacts): Finding[] {
  const byKey = new Map(nameGuards.map((guard) => [keyText(guard), guard]));
  const findings = [...owners.values()].flatMap((owner): Finding[] => {
    const key = nameGuardKey(owner.name);
    const guard = byKey.get(keyText(key));
    if (guard?.ownerId === owner.id && guard.kind !== "redirect") return [];
    const expected: NameGuard = { ...key, ownerId: owner.id, kind: owner.kind ?? "user", _v: 1 };
    if (guard === undefined || guard.kind === "redirect") {
      const when = guard === undefined ? ownerNameIsFree : asRead(guard);
      const hasName = ownerCheck(owner.id, owner, "name");
      return [missing(1, expected, `owner ${owner.id} has this name`, hasName, when)];
    }
    const problem = `leads to owner ${guard.ownerId}; owner ${owner.id} has this name`;
    return [{ invariant: 1, key: shownKey(key), problem, remedy: "rename one of the two" }];
  });
  const isOf = (guard: NameGuard, owner: User | Organization | undefined) =>
    owner !== undefined &&
    (guard.kind === "redirect" || keyText(nameGuardKey(owner.name)) === keyText(guard));
  const astray = nameGuards.filter((guard) => !isOf(guard, owners.get(guard.ownerId)));
  return findings.concat(
    astray.map((guard) => ({
      invariant: 1,
      key: shownKey(guard),
      problem: `leads to owner ${guard.ownerId}, who is not there or has another name`,
      remedy: "removes the guard, so that the name may be taken again",
      repair: mending(
        [ownerCheck(guard.ownerId, owners.get(guard.ownerId), "name")],
        remove(guard, asRead(guard)),
      ),
    })),
  );
}

/** Invariant 7: addresses have their guards and the reverse. */
export function checkEmails({ owners, emails, emailGuards }: TableFacts): Finding[] {
  const guards = new Map(emailGuards.map((guard) => [keyText(guard), guard]));
  const rows = new Map(emails.map((row) => [keyText(row), row]));
  const unguarded = emails.flatMap((row): Finding[] => {
    const key = emailGuardKey(row.email);
    const guard: EmailGuard = { ...key, userId: userOf(row), _v: 1 };
    const found = guards.get(keyText(key));
    if (found?.userId === guard.userId) return [];
    if (found === undefined) {
      return [missing(7, guard, `user ${guard.userId} has this address`, check(row, asRead(row)))];
    }
    const problem = `is of user ${found.userId}; user ${guard.userId} has the address too`;
    return [{ invariant: 7, key: shownKey(key), problem, remedy: "take the address from one of the two" }];
  });
  const users = [...owners.values()].filter((owner): owner is User => owner.kind !== "organization");
  const withoutRow = users.filter(({ id, email }) => !rows.has(keyText(emailAddressKey(id, email))));
  const expected = [
    ...rows.keys(),
    ...withoutRow.map(({ id, email }) => keyText(emailAddressKey(id, email))),
  ];
  const known = new Set(expected);
  const addressOf = ({ pk }: EmailGuard) => pk.slice("EMAIL#".length);
  const astray = emailGuards.filter(
    (guard) => !known.has(keyText(emailAddressKey(guard.userId, addressOf(guard)))),
  );
  return [
    ...unguarded,
    ...withoutRow.map((user) =>
      missing(
        7,
        addressItems(user.id, user.email, true).address,
        `user ${user.id} has this address`,
        ownerCheck(user.id, user, "email"),
      ),
    ),
    ...astray.map((guard) => ({
      invariant: 7,
      key: shownKey(guard),
      problem: `is of user ${guard.userId}, who does not have the address`,
      remedy: "removes the guard",
      repair: mending(
        [
          check(emailAddressKey(guard.userId, addressOf(guard)), absent),
          ownerCheck(guard.userId, owners.get(guard.userId), "email"),
        ],
        remove(guard, asRead(guard)),
      ),
    })),
  ];
}

/** Invariant 7: the list of all addresses is that of the addresses of users. */
export function checkEmailListings({ owners, emails, emailListings }: TableFacts): Finding[] {
  const primary = [...owners.values()].map(({ id, email }) => emailAddressKey(id, email));
  const rows = new Set([...emails, ...primary].map(({ pk, sk }) => keyText({ pk, sk })));
  const listed = new Set(emailListings.map(({ sk, userId }) => keyText(emailAddressKey(userId, sk))));
  const unlisted = emails.filter((row) => !listed.has(keyText(row)));
  const astray = emailListings.filter(({ sk, userId }) => !rows.has(keyText(emailAddressKey(userId, sk))));
  return [
    ...unlisted.map((row) => {
      const userId = userOf(row);
      const { listing } = addressItems(userId, row.email, false);
      return missing(7, listing, `user ${userId} has this address`, check(row, asRead(row)));
    }),
    ...astray.map((listing) => ({
      invariant: 7,
      key: shownKey(listing),
      problem: `names user ${listing.userId}, who does not have the address`,
      remedy: "removes it",
      repair: mending(
        [
          check(emailAddressKey(listing.userId, listing.sk), absent),
          ownerCheck(listing.userId, owners.get(listing.userId), "email"),
        ],
        remove(listing, equals({ userId: listing.userId })),
      ),
    })),
  ];
}

const userOf = (row: EmailAddress): number => Number(row.pk.slice("U#".length));

/** Invariant 7: tokens have their guards and the reverse. A guard without its row opens doors that nobody sees. */
export function checkTokens({ tokens, tokenGuards }: TableFacts): Finding[] {
  const guards = new Map(tokenGuards.map((guard) => [keyText(guard), guard]));
  const rows = new Set(tokens.map((token) => keyText(token)));
  const unguarded = tokens.flatMap((token: Token): Finding[] => {
    const guard: TokenGuard = {
      ...tokenGuardKey(token.hash),
      tokenId: token.id,
      userId: token.userId,
      scopes: token.scopes,
      ...defined({ expiresAt: token.expiresAt }),
      _v: 1,
    };
    if (guards.has(keyText(guard))) return [];
    const { hash, scopes, expiresAt } = token;
    const isListed = check(token, equals({ hash, scopes, expiresAt }));
    return [missing(7, guard, `token ${token.id} is in its owner's list`, isListed)];
  });
  const astray = tokenGuards.filter((guard) => !rows.has(keyText(tokenKey(guard.userId, guard.tokenId))));
  return [
    ...unguarded,
    ...astray.map((guard) => ({
      invariant: 7,
      key: `TOK#… / # of token ${guard.tokenId}`,
      problem: `opens the account of user ${guard.userId}, whose list does not show it`,
      remedy: "removes it: the token works no more",
      repair: mending(
        [check(tokenKey(guard.userId, guard.tokenId), absent)],
        remove(guard, equals({ userId: guard.userId, tokenId: guard.tokenId })),
      ),
    })),
  ];
}

const isAsFlagged = (owner: User | Organization | undefined, id: number): Write =>
  owner?.kind === "user" ? ownerCheck(id, owner, "isAdmin") : ownerCheck(id, owner, "kind");

/** Invariant 8: the set of administrators is that of the users with the flag, and is not empty. */
export function checkAdministrators({ owners, administrators }: TableFacts): Finding[] {
  const flagged = [...owners.values()].filter((owner) => owner.kind !== "organization" && owner.isAdmin);
  const ids = new Set(flagged.map(({ id }) => id));
  const key = shownKey(administratorsKey);
  const differing: Finding[] = [
    ...[...ids]
      .filter((id) => !administrators.has(id))
      .map((id) => ({
        id,
        problem: "lacks",
        change: { add: { ids: new Set([id]) } },
        when: any(absent, { lacks: { ids: id } }),
      })),
    ...[...administrators]
      .filter((id) => !ids.has(id))
      .map((id) => ({
        id,
        problem: "holds",
        change: { take: { ids: new Set([id]) } },
        when: { contains: { ids: id } },
      })),
  ].map(({ id, problem, change, when }) => ({
    invariant: 8,
    key,
    problem: `${problem} user ${id}, which contradicts their account (${shownKey(ownerKey(id))})`,
    remedy: "sets it as the account says",
    repair: mending([isAsFlagged(owners.get(id), id)], update(administratorsKey, change, when)),
  }));
  if (ids.size > 0) return differing;
  const remedy = "npm run admin -- user create --admin …";
  return [...differing, { invariant: 8, key, problem: "nobody is an administrator", remedy }];
}
