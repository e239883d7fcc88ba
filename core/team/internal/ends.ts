import { defined } from "../../defined.ts";
import { isForgeError } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import type { PartCursor, PartStep } from "../../jobs/passes.ts";
import type {
  EndedOrganization,
  EndedRepository,
  EndedUser,
  MovedRepository,
} from "../../lifecycle/lifecycle.ts";
import { findOrganizationsById } from "../../organization/list.ts";
import { removeOrganizationMember } from "../../organization/members.ts";
import { purgeOrganization } from "../../organization/remove.ts";
import { type Repository, repositoryKey } from "../../repository/repository.table.ts";
import { exists } from "../../table/condition.ts";
import { type Item, keyText, remove, update } from "../../table/write.ts";
import {
  type Membership,
  type MembershipMirror,
  membershipMirrorKey,
  membershipMirrorsOf,
  membershipsOf,
  repositoryChange,
  type TeamNameGuard,
  teamKey,
  teamMemberPrefix,
  teamNamesOf,
  teamPartition,
  teamRepositoryKey,
} from "../team.table.ts";

const organizationsPerStep = 10;
const rowsPerStep = 100;

/** Takes a repository that is being deleted from its teams. */
export async function endTeamsOfRepository(
  forge: Forge,
  { repositoryId }: EndedRepository,
): Promise<PartStep> {
  const repository = await forge.table.get<Repository>(repositoryKey(repositoryId));
  const left = await Promise.all(
    (repository?.teamIds ?? []).map((teamId) =>
      leaveTeam(forge, repository?.ownerId ?? 0, teamId, repositoryId),
    ),
  );
  return { hasFound: left.includes(true), hasMore: false };
}

/** False when the team did not have it any more. The team may be gone, too: then there is nothing to count down. */
async function leaveTeam(
  { table }: Forge,
  organizationId: number,
  teamId: number,
  repositoryId: number,
): Promise<boolean> {
  const row = teamRepositoryKey(teamId, repositoryId);
  const { committed } = await table.transact([
    remove(row, exists),
    update(teamKey(organizationId, teamId), repositoryChange(-1), exists),
  ]);
  return committed || table.write(remove(row, exists));
}

/** Takes a repository from teams of its former owner, unless it is back and was given to them again. */
export async function leaveFormerTeams(
  forge: Forge,
  { repositoryId, formerOwnerId, formerTeamIds }: MovedRepository,
): Promise<PartStep> {
  const repository = await forge.table.get<Repository>(repositoryKey(repositoryId));
  const isBack = repository?.ownerId === formerOwnerId;
  const isGivenAgain = (teamId: number) => isBack && repository.teamIds?.includes(teamId) === true;
  for (const teamId of formerTeamIds) {
    if (!isGivenAgain(teamId)) await leaveTeam(forge, formerOwnerId, teamId, repositoryId);
  }
  return { hasFound: false, hasMore: false };
}

/** Ends a user's memberships. Organizations that lose their last owner are purged, too. */
export async function endMembershipsOfUser(
  forge: Forge,
  { userId, purges, actorId }: EndedUser,
  inner: PartCursor | undefined,
): Promise<PartStep> {
  const { items, next } = await forge.table.query<MembershipMirror>({
    ...membershipMirrorsOf(userId),
    limit: organizationsPerStep,
    ...defined({ after: inner?.toString() }),
  });
  const found = await findOrganizationsById(
    forge,
    items.map(({ organizationId }) => organizationId),
  );
  // The job that this starts removes the memberships of purged organizations.
  for (const organization of found.values()) {
    try {
      await removeOrganizationMember(forge, organization, userId);
    } catch (error) {
      if (!purges || !isForgeError(error, "invalid")) throw error;
      await purgeOrganization(forge, actorId, organization);
    }
  }
  return { hasFound: found.size > 0, hasMore: next !== undefined, inner: next };
}

/**
 * Removes the teams of a deleted organization: without them nobody can become a member. A team's name goes last, since
 * it leads to what a crash left.
 */
export async function endTeams({ table }: Forge, { organizationId }: EndedOrganization): Promise<PartStep> {
  const { items, next } = await table.query<TeamNameGuard>({
    ...teamNamesOf(organizationId),
    limit: rowsPerStep,
  });
  for (const name of items) {
    const { teamId } = name;
    await table.removeAll([teamKey(organizationId, teamId)]); // first: joining holds only while the team exists
    const rows = await table.queryAll<Item>({ pk: teamPartition(teamId) });
    const mirrors = rows
      .filter(({ sk }) => sk.startsWith(teamMemberPrefix))
      .map(({ userId }) => membershipMirrorKey(Number(userId), organizationId));
    await table.removeAll(unique([...rows, ...mirrors]));
    await table.removeAll([name]);
  }
  return { hasFound: items.length > 0, hasMore: next !== undefined };
}

const unique = (keys: readonly { pk: string; sk: string }[]) => [
  ...new Map(keys.map((key) => [keyText(key), key])).values(),
];

/** Removes the memberships of a deleted organization, at both ends. */
export async function endMemberships(
  { table }: Forge,
  { organizationId }: EndedOrganization,
): Promise<PartStep> {
  const { items, next } = await table.query<Membership>({
    ...membershipsOf(organizationId),
    limit: rowsPerStep,
  });
  await table.removeAll(items.map(({ userId }) => membershipMirrorKey(userId, organizationId)));
  await table.removeAll(items);
  return { hasFound: items.length > 0, hasMore: next !== undefined };
}
