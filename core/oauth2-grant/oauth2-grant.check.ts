import type { Checks } from "../lifecycle/check/checks.ts";
import type { Finding } from "../lifecycle/check/finding.ts";
import { guardFindings } from "../lifecycle/check/guard-findings.ts";
import type { TableFacts } from "../lifecycle/check/table-facts.ts";
import { equals } from "../table/condition.ts";
import { check } from "../table/write.ts";
import {
  type OAuth2Grant,
  type OAuth2GrantMirror,
  oauth2GrantKey,
  oauth2GrantMirrorKey,
} from "./oauth2-grant.table.ts";

const grantKind = "U#<user> / OAUTH2GRANT#<client>";
const mirrorKind = "OAUTH2#<client> / GRANT#<user>";

/** Invariant 7: what a user lets a program do stands at both. A mirror alone gives nothing. */
const checkGrants = (facts: TableFacts): Finding[] =>
  guardFindings<OAuth2Grant, OAuth2GrantMirror>({
    invariant: 7,
    name: "what a user lets a program do",
    things: facts.all<OAuth2Grant>(grantKind),
    guards: facts.all<OAuth2GrantMirror>(mirrorKind),
    guardsOf: ({ clientId, userId }) => [{ ...oauth2GrantMirrorKey(clientId, userId), userId, _v: 1 }],
    stays: (grant) => check(grant, equals({ id: grant.id })),
    thingOf: ({ pk, userId }) => oauth2GrantKey(userId, pk.slice("OAUTH2#".length)),
  });

export const oauth2GrantChecks: Checks = {
  reads: [grantKind, mirrorKind],
  table: [(_, facts) => checkGrants(facts)],
};
