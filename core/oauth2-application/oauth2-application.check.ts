import type { Checks } from "../lifecycle/check/checks.ts";
import { type Finding, mending, shownKey } from "../lifecycle/check/finding.ts";
import type { TableFacts } from "../lifecycle/check/table-facts.ts";
import { absent, equals, exists } from "../table/condition.ts";
import { check, keyText, put, remove } from "../table/write.ts";
import {
  type OAuth2Application,
  type OAuth2ApplicationGuard,
  oauth2ApplicationGuardKey,
  oauth2ApplicationKey,
} from "./oauth2-application.table.ts";

const applicationKind = "U#<user> / OAUTH2#<application>";
const guardKind = "OAUTH2#<client> / #";

/** Invariant 7: applications have the guards of their client ids, and the reverse. */
function checkApplications(facts: TableFacts): Finding[] {
  const applications = facts.all<OAuth2Application>(applicationKind);
  const guards = facts.all<OAuth2ApplicationGuard>(guardKind);
  const expected = applications.map(
    ({ clientId, userId, id }): OAuth2ApplicationGuard => ({
      ...oauth2ApplicationGuardKey(clientId),
      ...{ userId, applicationId: id, _v: 1 },
    }),
  );
  const nameOf = (guard: OAuth2ApplicationGuard) =>
    `${keyText(guard)} ${guard.userId} ${guard.applicationId}`;
  const [wanted, found] = [new Set(expected.map(nameOf)), new Set(guards.map(nameOf))];
  return [
    ...expected
      .filter((guard) => !found.has(nameOf(guard)))
      .map((guard) => ({
        invariant: 7,
        key: shownKey(guard),
        problem: `does not lead to application ${guard.applicationId} of user ${guard.userId}`,
        remedy: "writes it",
        repair: mending(
          [check(oauth2ApplicationKey(guard.userId, guard.applicationId), exists)],
          put(guard, absent),
        ),
      })),
    ...guards
      .filter((guard) => !wanted.has(nameOf(guard)))
      .map((guard) => ({
        invariant: 7,
        key: shownKey(guard),
        problem: "leads to an application that is not there",
        remedy: "removes the guard",
        // Ids are never given twice: an application that is not there does not come back.
        repair: mending(
          [],
          remove(guard, equals({ userId: guard.userId, applicationId: guard.applicationId })),
        ),
      })),
  ];
}

export const oauth2ApplicationChecks: Checks = {
  reads: [applicationKind, guardKind],
  table: [(_, facts) => checkApplications(facts)],
};
