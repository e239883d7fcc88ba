import type { Checks } from "../lifecycle/check/checks.ts";
import type { Finding } from "../lifecycle/check/finding.ts";
import { guardFindings } from "../lifecycle/check/guard-findings.ts";
import type { TableFacts } from "../lifecycle/check/table-facts.ts";
import { exists } from "../table/condition.ts";
import { check } from "../table/write.ts";
import {
  type ExternalLogin,
  type ExternalLoginGuard,
  externalLoginGuardKey,
  externalLoginKey,
} from "./external-login.table.ts";

const loginKind = "U#<user> / EXT#<hash>";
const guardKind = "EXT#<hash> / #";

/** Invariant 7: external logins have their guards, and the reverse. A guard alone opens an account that shows nothing. */
const checkExternalLogins = (facts: TableFacts): Finding[] =>
  guardFindings<ExternalLogin, ExternalLoginGuard>({
    invariant: 7,
    name: "an external login",
    things: facts.all<ExternalLogin>(loginKind),
    guards: facts.all<ExternalLoginGuard>(guardKind),
    guardsOf: ({ hash, userId }) => [{ ...externalLoginGuardKey(hash), userId, _v: 1 }],
    stays: ({ pk, sk }) => check({ pk, sk }, exists),
    thingOf: ({ pk, userId }) => externalLoginKey(userId, pk.slice("EXT#".length)),
  });

export const externalLoginChecks: Checks = {
  reads: [loginKind, guardKind],
  table: [(_, facts) => checkExternalLogins(facts)],
};
