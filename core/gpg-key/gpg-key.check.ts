import type { Checks } from "../lifecycle/check/checks.ts";
import type { Finding } from "../lifecycle/check/finding.ts";
import { guardFindings } from "../lifecycle/check/guard-findings.ts";
import type { TableFacts } from "../lifecycle/check/table-facts.ts";
import { equals } from "../table/condition.ts";
import { check, type Item } from "../table/write.ts";
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
const checkGpgKeys = (facts: TableFacts): Finding[] =>
  guardFindings<KeptKey, GpgKeyGuard>({
    invariant: 7,
    name: "a GPG key",
    things: facts.all<KeptKey>(keyKind),
    guards: facts.all<GpgKeyGuard>(guardKind),
    guardsOf: ({ id, userId, signingKeyIds }) =>
      signingKeyIds.map((keyId) => ({ ...gpgKeyGuardKey(keyId), userId, gpgKeyId: id, _v: 1 })),
    stays: (key) => check(key, equals({ signingKeyIds: key.signingKeyIds })),
    thingOf: ({ userId, gpgKeyId }) => gpgKeyKey(userId, gpgKeyId),
  });

export const gpgKeyChecks: Checks = {
  reads: [keyKind, guardKind],
  keeps: { [keyKind]: keptKey },
  table: [(_, facts) => checkGpgKeys(facts)],
};
