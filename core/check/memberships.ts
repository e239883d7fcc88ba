import { type BlockMirror, blockKey, blockMirrorKey } from "../block/block.table.ts";
import { type CollaboratorMirror, collaboratorKey } from "../collaborator/collaborator.table.ts";
import type { Forge } from "../forge.ts";
import { absent, equals, exists, type Item, keyText, put, remove, update, type Write } from "../table.ts";
import {
  type Membership,
  type MembershipMirror,
  membershipKey,
  membershipMirrorKey,
  type TeamMember,
  teamKey,
  teamMemberKey,
  teamPartition,
} from "../team/team.table.ts";
import { type Finding, shownKey } from "./finding.ts";
import type { TableFacts } from "./table-facts.ts";

const finding = (
  invariant: number,
  item: Pick<Item, "pk" | "sk">,
  problem: string,
  [remedy, write]: readonly [string, Write],
) => ({
  invariant,
  key: shownKey(item),
  problem,
  remedy,
  repair: async ({ table }: Forge): Promise<void> => void (await table.write(write)),
});

/** The number at the end of a key's part, such as the owner's in `O#7`. */
const idIn = (key: string): number => Number(key.slice(key.lastIndexOf("#") + 1));

/** Invariant 4: a membership and its mirror at the user name the same teams. */
export function checkMembershipMirrors({ memberships, membershipMirrors }: TableFacts): Finding[] {
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
    return [finding(4, key, problem, ["writes what the organization says", put(mirror)])];
  });
  const astray = membershipMirrors.filter((mirror) => !known.has(keyText(mirror)));
  return differing.concat(
    astray.map((mirror) => {
      const { pk, sk } = membershipKey(mirror.organizationId, idIn(mirror.pk));
      return finding(4, mirror, `tells of a membership (${pk} / ${sk}) that is not there`, [
        "removes it",
        remove(mirror, exists),
      ]);
    }),
  );
}

/** Invariant 4: a team lists who is in it by his membership, and counts them. Teams that were deleted are a job's. */
export function checkTeamMembers({ memberships, teams, teamMembers }: TableFacts): Finding[] {
  const rows = new Set(teamMembers.map((row) => keyText(row)));
  const expected = new Map<string, TeamMember>();
  for (const { userId, teamIds } of memberships) {
    for (const id of teamIds.filter((one) => teams.has(one))) {
      const row: TeamMember = { ...teamMemberKey(id, userId), userId, _v: 1 };
      expected.set(keyText(row), row);
    }
  }
  const missing = [...expected.values()]
    .filter((row) => !rows.has(keyText(row)))
    .map((row) =>
      finding(4, row, "is missing; the membership names the team", ["writes it", put(row, absent)]),
    );
  const astray = teamMembers
    .filter((row) => teams.has(idIn(row.pk)) && !expected.has(keyText(row)))
    .map((row) => finding(4, row, "is of nobody who is in the team", ["removes it", remove(row, exists)]));
  const counts = [...teams.values()].flatMap((team) => {
    const members = [...expected.values()].filter(({ pk }) => pk === teamPartition(team.id)).length;
    if (team.members === members) return [];
    const key = teamKey(team.organizationId, team.id);
    const write = update(key, { set: { members } }, equals({ members: team.members }));
    return [
      finding(4, key, `counts ${team.members} members, there are ${members}`, [
        `sets it to ${members}`,
        write,
      ]),
    ];
  });
  return [...missing, ...astray, ...counts];
}

/** Invariant 6: what a user's list says of collaborations is what the repositories say. */
export function checkCollaborations({ collaborators, collaboratorMirrors }: TableFacts): Finding[] {
  return collaboratorMirrors
    .filter((mirror) => !collaborators.has(keyText(collaboratorKey(mirror.repositoryId, idIn(mirror.pk)))))
    .map((mirror: CollaboratorMirror) =>
      finding(6, mirror, "tells of rights that the repository does not give", [
        "removes it",
        remove(mirror, exists),
      ]),
    );
}

/** Invariant 23: a block and its mirror at the blocked user say the same. */
export function checkBlocks({ blocks, blockMirrors }: TableFacts): Finding[] {
  const mirrors = new Set(blockMirrors.map((mirror) => keyText(mirror)));
  const primary = new Set(blocks.map((block) => keyText(block)));
  const missing = blocks
    .map(({ pk, userId }): BlockMirror => {
      const ownerId = idIn(pk);
      return { ...blockMirrorKey(userId, ownerId), ownerId, _v: 1 };
    })
    .filter((mirror) => !mirrors.has(keyText(mirror)))
    .map((mirror) =>
      finding(23, mirror, "is missing; the owner blocks the user", ["writes it", put(mirror, absent)]),
    );
  const astray = blockMirrors
    .filter((mirror) => !primary.has(keyText(blockKey(mirror.ownerId, idIn(mirror.pk)))))
    .map((mirror) =>
      finding(23, mirror, "tells of a block that is not there", ["removes it", remove(mirror, exists)]),
    );
  return [...missing, ...astray];
}
