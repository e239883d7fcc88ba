import type { Forge } from "../forge.ts";
import { agreed, asRead, type Finding, mending, type Repair, shownKey } from "../lifecycle/check/finding.ts";
import type { TableFacts } from "../lifecycle/check/table-facts.ts";
import { absent, equals, exists } from "../table/condition.ts";
import { check, keyText, put, remove, type TableKey, update } from "../table/write.ts";
import { teamsIn } from "./internal/checked-teams.ts";
import {
  type Membership,
  type MembershipMirror,
  membershipKey,
  membershipMirrorKey,
  membershipsOf,
  type Team,
  type TeamMember,
  teamKey,
  teamMemberKey,
  teamPartition,
} from "./team.table.ts";

const membershipKind = "O#<organization> / MEM#<user>";
const mirrorKind = "U#<user> / ORG#<organization>";
const memberKind = "TEAM#<team> / M#<user>";

export const membershipReads = [membershipKind, mirrorKind, memberKind];

const finding = (item: TableKey, problem: string, [remedy, repair]: readonly [string, Repair]): Finding => ({
  invariant: 4,
  key: shownKey(item),
  problem,
  remedy,
  repair,
});

/** The number at the end of a key's part, such as the owner's in `O#7`. */
const idIn = (key: string): number => Number(key.slice(key.lastIndexOf("#") + 1));

/** Invariant 4: a membership and its mirror at the user name the same teams. */
export function checkMembershipMirrors(facts: TableFacts): Finding[] {
  const memberships = facts.all<Membership>(membershipKind);
  const membershipMirrors = facts.all<MembershipMirror>(mirrorKind);
  const mirrors = new Map(membershipMirrors.map((mirror) => [keyText(mirror), mirror]));
  const known = new Set<string>();
  const differing = memberships.flatMap((membership: Membership): Finding[] => {
    const { userId, teamIds } = membership;
    const organizationId = idIn(membership.pk);
    const key = membershipMirrorKey(userId, organizationId);
    known.add(keyText(key));
    const found = mirrors.get(keyText(key));
    if (found?.teamIds.join() === teamIds.join()) return [];
    const mirror: MembershipMirror = { ...key, organizationId, teamIds, _v: 1 };
    const problem = found === undefined ? "is missing" : "names other teams than the organization does";
    const mended = mending([check(membership, asRead(membership))], put(mirror, asRead(found)));
    return [finding(key, problem, ["writes what the organization says", mended])];
  });
  const astray = membershipMirrors.filter((mirror) => !known.has(keyText(mirror)));
  return differing.concat(
    astray.map((mirror) => {
      const key = membershipKey(mirror.organizationId, idIn(mirror.pk));
      return finding(mirror, `tells of a membership (${shownKey(key)}) that is not there`, [
        "removes it",
        mending([check(key, absent)], remove(mirror, asRead(mirror))),
      ]);
    }),
  );
}

/** Invariant 4: a team lists its members by their memberships, and counts them. Deleted teams are left to a job. */
export function checkTeamMembers(facts: TableFacts): Finding[] {
  const memberships = facts.all<Membership>(membershipKind);
  const teamMembers = facts.all<TeamMember>(memberKind);
  const teams = teamsIn(facts);
  const rows = new Set(teamMembers.map((row) => keyText(row)));
  const expected = new Map<string, { row: TeamMember; membership: Membership }>();
  const byUser = new Map(memberships.map((membership) => [keyText(membership), membership]));
  for (const membership of memberships) {
    for (const id of membership.teamIds.filter((one) => teams.has(one))) {
      const { userId } = membership;
      const row: TeamMember = { ...teamMemberKey(id, userId), userId, _v: 1 };
      expected.set(keyText(row), { row, membership });
    }
  }
  const missing = [...expected.values()]
    .filter(({ row }) => !rows.has(keyText(row)))
    .map(({ row, membership }) => {
      const team = teamKey(idIn(membership.pk), idIn(row.pk));
      const derivedFrom = [check(membership, asRead(membership)), check(team, exists)];
      const mended = mending(derivedFrom, put(row, absent));
      return finding(row, "is missing; the membership names the team", ["writes it", mended]);
    });
  const astray = teamMembers.flatMap((row): Finding[] => {
    const team = teams.get(idIn(row.pk));
    if (team === undefined || expected.has(keyText(row))) return [];
    const key = membershipKey(team.organizationId, row.userId);
    const derivedFrom = [check(key, asRead(byUser.get(keyText(key)))), check(team, exists)];
    const mended = mending(derivedFrom, remove(row, asRead(row)));
    return [finding(row, "is of nobody who is in the team", ["removes it", mended])];
  });
  const counts = [...teams.values()].flatMap((team): Finding[] => {
    const members = [...expected.values()].filter(({ row }) => row.pk === teamPartition(team.id)).length;
    if (team.members === members) return [];
    const key = teamKey(team.organizationId, team.id);
    const problem = `counts ${team.members} members, there are ${members}`;
    return [finding(key, problem, ["counts them anew", (forge) => recountMembers(forge, team)])];
  });
  return [...missing, ...astray, ...counts];
}

/**
 * Sets a team's count to the memberships that name it. Each change of a membership moves `memberChanges` with the count,
 * so that none can come between unseen.
 */
async function recountMembers({ table }: Forge, { id, organizationId }: Team): Promise<boolean> {
  const key = teamKey(organizationId, id);
  const counted = await agreed(async () => {
    const team = await table.get<Team>(key);
    const memberships = await table.queryAll<Membership>(membershipsOf(organizationId));
    const members = memberships.filter(({ teamIds }) => teamIds.includes(id)).length;
    return { before: team?.members, memberChanges: team?.memberChanges, members };
  });
  if (counted?.before === undefined) return false;
  const { before, memberChanges, members } = counted;
  return table.write(update(key, { set: { members } }, equals({ members: before, memberChanges })));
}
