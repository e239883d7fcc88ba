import type { Checks } from "../lifecycle/check/checks.ts";
import { asRead, type Finding, mending, shownKey } from "../lifecycle/check/finding.ts";
import type { TableFacts } from "../lifecycle/check/table-facts.ts";
import { ownerKind, ownersIn } from "../owner/checked-owners.ts";
import { emailGuardKey } from "../owner/owner.table.ts";
import { missing, ownerCheck } from "../owner/owner-findings.ts";
import { absent, equals } from "../table/condition.ts";
import { check, keyText, remove, type TableKey } from "../table/write.ts";
import {
  addressItems,
  type EmailAddress,
  type EmailGuard,
  type EmailListing,
  emailAddressKey,
  type User,
} from "./user.table.ts";

const guardKind = "EMAIL#<address> / #";
const addressKind = "U#<user> / EM#<address>";
const listingKind = "EMAILS / <address>";

/** Addresses that are somebody's: one that is not confirmed guards nothing, and stands in no list. */
const verifiedIn = (facts: TableFacts): EmailAddress[] =>
  facts.all<EmailAddress>(addressKind).filter(({ isVerified }) => isVerified);

/** Invariant 7: addresses have their guards and the reverse. */
function checkEmails(facts: TableFacts): Finding[] {
  const owners = ownersIn(facts);
  const emails = verifiedIn(facts);
  const emailGuards = facts.all<EmailGuard>(guardKind);
  const guards = new Map(emailGuards.map((guard) => [keyText(guard), guard]));
  const rows = new Map(emails.map((row) => [keyText(row), row]));
  const users = [...owners.values()].filter((owner): owner is User => owner.kind !== "organization");
  const withoutRow = users.filter(({ id, email }) => !rows.has(keyText(emailAddressKey(id, email))));
  const known = new Set([
    ...rows.keys(),
    ...withoutRow.map(({ id, email }) => keyText(emailAddressKey(id, email))),
  ]);
  const astray = emailGuards.filter((guard) => !known.has(keyText(guardedAddressKey(guard))));
  return [
    ...emails.flatMap((row) => guardProblem(row, guards) ?? []),
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
          check(guardedAddressKey(guard), absent),
          ownerCheck(guard.userId, owners.get(guard.userId), "email"),
        ],
        remove(guard, asRead(guard)),
      ),
    })),
  ];
}

/** What is wrong with the guard of an address; undefined when it is its user's. */
function guardProblem(row: EmailAddress, guards: ReadonlyMap<string, EmailGuard>): Finding | undefined {
  const key = emailGuardKey(row.email);
  const guard: EmailGuard = { ...key, userId: userOf(row), _v: 1 };
  const found = guards.get(keyText(key));
  if (found?.userId === guard.userId) return undefined;
  if (found === undefined) {
    return missing(7, guard, `user ${guard.userId} has this address`, check(row, asRead(row)));
  }
  const problem = `is of user ${found.userId}; user ${guard.userId} has the address too`;
  return { invariant: 7, key: shownKey(key), problem, remedy: "take the address from one of the two" };
}

/** Where the address that a guard is for has its row. */
const guardedAddressKey = ({ pk, userId }: EmailGuard): TableKey =>
  emailAddressKey(userId, pk.slice("EMAIL#".length));

/** Invariant 7: the list of all addresses is that of the addresses of users. */
function checkEmailListings(facts: TableFacts): Finding[] {
  const owners = ownersIn(facts);
  const emails = verifiedIn(facts);
  const emailListings = facts.all<EmailListing>(listingKind);
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

export const userChecks: Checks = {
  reads: [ownerKind, guardKind, addressKind, listingKind],
  table: [(_, facts) => checkEmails(facts), (_, facts) => checkEmailListings(facts)],
};
