import type { DeployKey } from "../deploy-key/deploy-key.table.ts";
import type { Checks } from "../lifecycle/check/checks.ts";
import { type Finding, mending, shownKey } from "../lifecycle/check/finding.ts";
import type { TableFacts } from "../lifecycle/check/table-facts.ts";
import { absent, equals, exists } from "../table/condition.ts";
import { check, type Item, keyText, put, remove } from "../table/write.ts";
import { type KeyGuard, keyGuardKey, type PublicKey } from "./public-key.table.ts";

const publicKeyKind = "U#<user> / KEY#<key>";
const deployKeyKind = "R#<repository> / KEY#<key>";
const guardKind = "FP#<fingerprint> / #";

/** A transaction checks no more. */
const mostHolders = 99;

/** Invariant 7: public keys and deploy keys have their guards, which count the repositories, and the reverse. */
function checkKeys(facts: TableFacts): Finding[] {
  const publicKeys = facts.all<PublicKey>(publicKeyKind);
  const deployKeys = facts.all<DeployKey>(deployKeyKind);
  const keyGuards = facts.all<KeyGuard>(guardKind);
  const expected = new Map<string, KeyGuard>();
  const holders = new Map<string, Item[]>();
  const hold = (key: string, item: Item) => holders.set(key, [...(holders.get(key) ?? []), item]);
  for (const item of publicKeys) {
    const { fingerprint, id, userId } = item;
    const guard: KeyGuard = { ...keyGuardKey(fingerprint), use: "user", keyId: id, userId, _v: 1 };
    expected.set(keyText(guard), guard);
    hold(keyText(guard), item);
  }
  for (const item of deployKeys) {
    const { fingerprint, keyId } = item;
    const key = keyGuardKey(fingerprint);
    hold(keyText(key), item);
    const known = expected.get(keyText(key));
    const repositories = known?.use === "deploy" ? known.repositories + 1 : 1;
    expected.set(keyText(key), { ...key, use: "deploy", keyId, repositories, _v: 1 });
  }
  const found = new Map(keyGuards.map((guard) => [keyText(guard), guard]));
  const wrong = [...expected].filter(([key, guard]) => !isSame(found.get(key), guard));
  const astray = keyGuards.filter((guard) => !expected.has(keyText(guard)));
  return [
    ...wrong.map(([key, guard]) => mended(found.get(key), guard, holders.get(key) ?? [])),
    ...astray.map((guard) => ({
      invariant: 7,
      key: shownKey(guard),
      problem: "keeps a key from being added that nobody has",
      remedy: "removes the guard",
      // Somebody who adds the key meanwhile meets the guard, or changes its count.
      repair: mending([], remove(guard, unchanged(guard))),
    })),
  ];
}

const contentOf = (guard: KeyGuard): Item =>
  guard.use === "user"
    ? { ...key(guard), use: guard.use, keyId: guard.keyId, userId: guard.userId }
    : { ...key(guard), use: guard.use, keyId: guard.keyId, repositories: guard.repositories };

const key = ({ pk, sk }: Item) => ({ pk, sk });

function unchanged(guard: KeyGuard) {
  const { pk: _pk, sk: _sk, ...values } = contentOf(guard);
  return equals(values);
}

const isSame = (one: KeyGuard | undefined, other: KeyGuard): boolean =>
  one !== undefined && JSON.stringify(contentOf(one)) === JSON.stringify(contentOf(other));

/** A key that is added meanwhile moves the guard; those that it is derived from must still be there. */
function mended(found: KeyGuard | undefined, guard: KeyGuard, holders: readonly Item[]): Finding {
  const problem = found === undefined ? "is missing" : "says otherwise than the keys";
  const when = found === undefined ? absent : unchanged(found);
  return {
    invariant: 7,
    key: shownKey(guard),
    problem: `${problem}; key ${guard.keyId} has this fingerprint`,
    remedy: "writes it as the keys say",
    repair: mending(
      holders.slice(0, mostHolders).map((item) => check(item, exists)),
      put(guard, when),
    ),
  };
}

/** Of deploy keys, too: they share the guards. */
export const publicKeyChecks: Checks = {
  reads: [publicKeyKind, deployKeyKind, guardKind],
  table: [(_, facts) => checkKeys(facts)],
};
