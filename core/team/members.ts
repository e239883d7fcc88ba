import { blockedRefusal, unblocked } from "../block/unblocked.ts";
import { attempts } from "../concurrency/attempts.ts";
import { conflict, notFound, unprocessable } from "../errors.ts";
import { send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import { departureJob } from "../jobs/departure.ts";
import { ownerStays, requireStaying } from "../owner/deletion.ts";
import { absent, all, equals, exists } from "../table/condition.ts";
import { keyText, put, remove, type TableKey, update, type Write } from "../table/write.ts";
import { memberRow, membershipIn, teamMembershipWrites } from "./memberships.ts";
import {
  type Membership,
  memberChange,
  membershipKey,
  type Team,
  type TeamMember,
  teamKey,
  teamMemberKey,
  teamMemberPrefix,
  teamPartition,
} from "./team.table.ts";

const mostAttempts = 20;

/** Users of a team, by id. */
export async function listTeamMembers(forge: Forge, { id }: Pick<Team, "id">): Promise<number[]> {
  const rows = await forge.table.queryAll<TeamMember>({ pk: teamPartition(id), prefix: teamMemberPrefix });
  return rows.map(({ userId }) => userId);
}

/** Whether a user is in a team. */
export const hasTeamMember = async (
  forge: Forge,
  { id }: Pick<Team, "id">,
  userId: number,
): Promise<boolean> => (await forge.table.get(teamMemberKey(id, userId))) !== undefined;

/**
 * Makes a user a member: four items, however many repositories the team has. A present member stays one. 403 when the
 * organization blocks the user.
 */
export async function addTeamMember(forge: Forge, team: Team, userId: number): Promise<void> {
  const { id, organizationId } = team;
  for await (const _attempt of attempts(mostAttempts)) {
    const found = await readMember(forge, team, userId);
    if (found.team === undefined) throw notFound(`team does not exist [id: ${id}]`);
    if (found.isMember) return;
    const teamIds = [...(found.membership?.teamIds ?? []), id];
    const outcome = await forge.table.transact([
      unblocked(organizationId, userId),
      put(memberRow(id, userId), absent),
      update(teamKey(organizationId, id), memberChange(1), exists),
      ...teamMembershipWrites(organizationId, userId, found.membership, teamIds),
      ownerStays(userId),
    ]);
    if (outcome.committed) return;
    if (outcome.failed.includes(0)) throw blockedRefusal();
    if (outcome.failed.includes(memberStaysAt)) await requireStaying(forge, { id: userId, kind: "user" });
  }
  throw busy();
}

/** The place of the check that the user exists among the writes. */
const memberStaysAt = 5;

/**
 * Takes a user out of a team; does nothing when they are not in it. A job ends their stars, watches and assignments on
 * repositories that they may not see any more. 422 for the last owner.
 */
export async function removeTeamMember(forge: Forge, team: Team, userId: number): Promise<void> {
  for await (const _attempt of attempts(mostAttempts)) {
    const found = await readMember(forge, team, userId);
    if (!found.isMember) return;
    const left = (found.membership?.teamIds ?? []).filter((id) => id !== team.id);
    const departure = departureJob(forge, { userId, ownerId: team.organizationId });
    const outcome = await forge.table.transact([
      ...teamLeavingWrites(team.id, found.team, userId),
      ...teamMembershipWrites(team.organizationId, userId, found.membership, left),
      departure.write,
    ]);
    if (outcome.committed) return send(forge, [departure.message]);
  }
  throw busy();
}

/** The writes that end a user's time in one team, beside their membership. Throws for the last owner, who must stay. */
export function teamLeavingWrites(teamId: number, team: Team | undefined, userId: number): Write[] {
  const row = remove(teamMemberKey(teamId, userId), exists);
  if (team === undefined) return [row];
  if (team.mode === "owner" && team.members <= 1) throw lastOwner();
  const isAsRead = team.mode === "owner" ? all(exists, equals({ members: team.members })) : exists;
  return [row, update(teamKey(team.organizationId, team.id), memberChange(-1), isAsRead)];
}

const lastOwner = () =>
  unprocessable("the last owner of an organization can't leave; make somebody else an owner first");

const busy = () => conflict("the membership is being changed by others; try again");

interface ReadMember {
  readonly membership: Membership | undefined;
  readonly isMember: boolean;
  /** The present team; undefined when it is gone. */
  readonly team: Team | undefined;
}

async function readMember(forge: Forge, { id, organizationId }: Team, userId: number): Promise<ReadMember> {
  const keys: TableKey[] = [
    membershipKey(organizationId, userId),
    teamMemberKey(id, userId),
    teamKey(organizationId, id),
  ];
  const found = await forge.table.getAll(keys);
  return {
    membership: membershipIn(found, organizationId, userId),
    isMember: found.has(keyText(teamMemberKey(id, userId))),
    team: found.get(keyText(teamKey(organizationId, id))) as Team | undefined,
  };
}
