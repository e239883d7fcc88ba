import type { Checks } from "../lifecycle/check/checks.ts";
import { type Finding, mending, shownKey } from "../lifecycle/check/finding.ts";
import type { TableFacts } from "../lifecycle/check/table-facts.ts";
import { absent, equals, exists } from "../table/condition.ts";
import { check, type Item, keyText, put, remove } from "../table/write.ts";
import { type GpgKey, type GpgKeyGuard, gpgKeyGuardKey, gpgKeyKey } from "./gpg-key.table.ts";

const keyKind = "U#<user> / GPG#<key>";
const guardKind = "GPGID#<keyid> / #";
type KeptKey = Item & Pick<GpgKey, "id" | "userId" | "signingKeyIds">;

/** Keys without their bytes. */
function keptKey(item: Item): KeptKey {
  const { pk, sk, id, userId, signingKeyIds } = item as GpgKey;
  return { pk, sk, id, userId, signingKeyIds };
}

/** Invariant 7: GPG keys and their signing subkeys have their guards, and the reverse. */
function checkGpgKeys(facts: TableFacts): Finding[] {
  const gpgKeys = facts.all<KeptKey>(keyKind);
  const gpgKeyGuards = facts.all<GpgKeyGuard>(guardKind);
  const expected = gpgKeys.flatMap(({ id, userId, signingKeyIds }) =>
    signingKeyIds.map((keyId): GpgKeyGuard => ({ ...gpgKeyGuardKey(keyId), userId, gpgKeyId: id, _v: 1 })),
  );
  const nameOf = (guard: GpgKeyGuard) => `${keyText(guard)} ${guard.userId} ${guard.gpgKeyId}`;
  const [wanted, found] = [new Set(expected.map(nameOf)), new Set(gpgKeyGuards.map(nameOf))];
  return [
    ...expected
      .filter((guard) => !found.has(nameOf(guard)))
      .map((guard) => ({
        invariant: 7,
        key: shownKey(guard),
        problem: `does not lead to key ${guard.gpgKeyId} of user ${guard.userId}, who has it`,
        remedy: "writes it, unless another user has the key too",
        repair: mending([check(gpgKeyKey(guard.userId, guard.gpgKeyId), exists)], put(guard, absent)),
      })),
    ...gpgKeyGuards
      .filter((guard) => !wanted.has(nameOf(guard)))
      .map((guard) => ({
        invariant: 7,
        key: shownKey(guard),
        problem: "leads to a key that is not there",
        remedy: "removes the guard",
        // Ids are never given twice: a key that is not there does not come back.
        repair: mending([], remove(guard, equals({ userId: guard.userId, gpgKeyId: guard.gpgKeyId }))),
      })),
  ];
}

export const gpgKeyChecks: Checks = {
  reads: [keyKind, guardKind],
  keeps: { [keyKind]: keptKey },
  table: [(_, facts) => checkGpgKeys(facts)],
};
