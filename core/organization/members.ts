import type { Actor } from "../actor.ts";
import { attempts } from "../concurrency/attempts.ts";
import { conflict, forbidden } from "../errors.ts";
import { send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import { departureJob } from "../jobs/departure.ts";
import { equals } from "../table/condition.ts";
import { keyText, update } from "../table/write.ts";
import { teamLeavingWrites } from "../team/members.ts";
import { teamMembershipWrites } from "../team/memberships.ts";
import { type Membership, membershipKey, type Team, teamKey } from "../team/team.table.ts";
import type { User } from "../user/user.table.ts";
import type { Organization } from "./organization.table.ts";

const mostAttempts = 20;
/** Two items for each team, and the membership with its mirror: well below a transaction's bound. */
const teamsPerTransaction = 45;

/**
 * Takes a user out of all teams of an organization; does nothing when they are in none. The owners' team comes first:
 * the last owner must stay (422), and then nothing has changed. A job ends their stars, watches and assignments on
 * repositories that they may not see any more.
 */
export async function removeOrganizationMember(
  forge: Forge,
  { id }: Organization,
  userId: number,
): Promise<void> {
  for await (const _attempt of attempts(mostAttempts)) {
    const key = membershipKey(id, userId);
    const membership = await forge.table.get<Membership>(key);
    if (membership === undefined) return;
    const teams = await readTeams(forge, id, membership);
    const ordered = [...membership.teamIds].sort((one, other) => rank(teams, one) - rank(teams, other));
    const leaving = ordered.slice(0, teamsPerTransaction);
    const departure = departureJob(forge, { userId, ownerId: id });
    const { committed } = await forge.table.transact([
      ...leaving.flatMap((teamId) => teamLeavingWrites(teamId, teams.get(teamId), userId)),
      ...teamMembershipWrites(id, userId, membership, ordered.slice(teamsPerTransaction)),
      departure.write,
    ]);
    if (committed) await send(forge, [departure.message]);
    if (committed && leaving.length === ordered.length) return;
  }
  throw conflict("the membership is being changed by others; try again");
}

const rank = (teams: ReadonlyMap<number, Team>, id: number) => (teams.get(id)?.mode === "owner" ? 0 : 1);

async function readTeams(
  forge: Forge,
  organizationId: number,
  { teamIds }: Membership,
): Promise<ReadonlyMap<number, Team>> {
  const found = await forge.table.getAll<Team>(teamIds.map((id) => teamKey(organizationId, id)));
  return new Map(
    teamIds.flatMap((id) => {
      const team = found.get(keyText(teamKey(organizationId, id)));
      return team === undefined ? [] : [[id, team] as const];
    }),
  );
}

/** Shows everybody, or members alone, that the caller is a member. 403 for others than the caller (semantics §25). */
export async function publicizeMembership(
  forge: Forge,
  actor: Actor,
  { id, name }: Organization,
  user: User,
  isPublic: boolean,
): Promise<void> {
  if (actor.user.id !== user.id) throw forbidden("only the member may show or hide their membership");
  const key = membershipKey(id, user.id);
  for await (const _attempt of attempts(mostAttempts)) {
    const membership = await forge.table.get<Membership>(key);
    if (membership === undefined) throw forbidden(`the user is not a member [organization: ${name}]`);
    if (membership.isPublic === isPublic) return;
    const changes = { set: { isPublic, v: membership.v + 1 } };
    if (await forge.table.write(update(key, changes, equals({ v: membership.v })))) return;
  }
  throw conflict("the membership is being changed by others; try again");
}
