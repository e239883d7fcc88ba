import type { Checks } from "../lifecycle/check/checks.ts";
import type { Finding } from "../lifecycle/check/finding.ts";
import { guardFindings } from "../lifecycle/check/guard-findings.ts";
import type { TableFacts } from "../lifecycle/check/table-facts.ts";
import { equals } from "../table/condition.ts";
import { check } from "../table/write.ts";
import {
  type OAuth2Application,
  type OAuth2ApplicationGuard,
  oauth2ApplicationGuardKey,
  oauth2ApplicationKey,
} from "./oauth2-application.table.ts";

const applicationKind = "U#<user> / OAUTH2#<application>";
const guardKind = "OAUTH2#<client> / #";

/** Invariant 7: applications have the guards of their client ids, and the reverse. */
const checkApplications = (facts: TableFacts): Finding[] =>
  guardFindings<OAuth2Application, OAuth2ApplicationGuard>({
    invariant: 7,
    name: "an application",
    things: facts.all<OAuth2Application>(applicationKind),
    guards: facts.all<OAuth2ApplicationGuard>(guardKind),
    guardsOf: ({ clientId, userId, id }) => [
      { ...oauth2ApplicationGuardKey(clientId), userId, applicationId: id, _v: 1 },
    ],
    stays: (application) => check(application, equals({ clientId: application.clientId })),
    thingOf: ({ userId, applicationId }) => oauth2ApplicationKey(userId, applicationId),
  });

export const oauth2ApplicationChecks: Checks = {
  reads: [applicationKind, guardKind],
  table: [(_, facts) => checkApplications(facts)],
};
