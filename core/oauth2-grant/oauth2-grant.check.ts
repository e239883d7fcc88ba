import type { Checks } from "../lifecycle/check/checks.ts";
import { type Finding, mending, shownKey } from "../lifecycle/check/finding.ts";
import type { TableFacts } from "../lifecycle/check/table-facts.ts";
import { missing } from "../owner/owner-findings.ts";
import { absent, equals } from "../table/condition.ts";
import { check, keyText, remove } from "../table/write.ts";
import {
  type OAuth2Grant,
  type OAuth2GrantMirror,
  oauth2GrantKey,
  oauth2GrantMirrorKey,
} from "./oauth2-grant.table.ts";

const grantKind = "U#<user> / OAUTH2GRANT#<client>";
const mirrorKind = "OAUTH2#<client> / GRANT#<user>";

const clientIdOf = ({ pk }: OAuth2GrantMirror): string => pk.slice("OAUTH2#".length);

/** Invariant 7: what a user lets a program do stands at both. A mirror alone gives nothing. */
function checkGrants(facts: TableFacts): Finding[] {
  const grants = facts.all<OAuth2Grant>(grantKind);
  const mirrors = facts.all<OAuth2GrantMirror>(mirrorKind);
  const mirrored = new Set(mirrors.map(keyText));
  const given = new Set(grants.map(keyText));
  const unmirrored = grants.flatMap(({ userId, clientId, id }): Finding[] => {
    const mirror: OAuth2GrantMirror = { ...oauth2GrantMirrorKey(clientId, userId), userId, _v: 1 };
    if (mirrored.has(keyText(mirror))) return [];
    const isGiven = check(oauth2GrantKey(userId, clientId), equals({ id }));
    return [missing(7, mirror, `user ${userId} lets this program do something`, isGiven)];
  });
  const astray = mirrors.filter(
    (mirror) => !given.has(keyText(oauth2GrantKey(mirror.userId, clientIdOf(mirror)))),
  );
  return [
    ...unmirrored,
    ...astray.map((mirror) => ({
      invariant: 7,
      key: shownKey(mirror),
      problem: `says that user ${mirror.userId} lets this program do something, which they don't`,
      remedy: "removes it",
      repair: mending(
        [check(oauth2GrantKey(mirror.userId, clientIdOf(mirror)), absent)],
        remove(mirror, equals({ userId: mirror.userId })),
      ),
    })),
  ];
}

export const oauth2GrantChecks: Checks = {
  reads: [grantKind, mirrorKind],
  table: [(_, facts) => checkGrants(facts)],
};
