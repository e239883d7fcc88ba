import { unpackTeams } from "../access/team-rights.ts";
import { attempts } from "../concurrency/attempts.ts";
import { conflict, notFound, unprocessable } from "../errors.ts";
import { send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import { departureJob } from "../jobs/departure.ts";
import { type JobKind, startJob } from "../jobs/job.ts";
import { type Repository, repositoryKey } from "../repository/repository.table.ts";
import { equals, exists } from "../table/condition.ts";
import { remove } from "../table/write.ts";
import { getList } from "./create.ts";
import { withoutTeam } from "./internal/access-list.ts";
import { forgetRepository } from "./internal/repositories.ts";
import { teamMembershipWrites } from "./memberships.ts";
import {
  type Membership,
  membershipKey,
  type Team,
  type TeamMember,
  type TeamRepository,
  teamKey,
  teamMemberPrefix,
  teamNameKey,
  teamPartition,
  teamReferenceKey,
  teamRepositoryPrefix,
} from "./team.table.ts";

/** The rest of a deleted team. */
export interface DeletedTeam {
  readonly teamId: number;
  readonly organizationId: number;
}

const mostAttempts = 10;
const rowsPerStep = 25;

/**
 * Deletes a team. Without its row in the access list it gives no rights any more; a job takes it out of memberships and
 * repositories. 422 for the owners' team; NotFound when it is gone meanwhile.
 */
export async function removeTeam(forge: Forge, { id, organizationId, mode }: Team): Promise<void> {
  if (mode === "owner") throw unprocessable("the team of an organization's owners can't be deleted");
  for await (const _attempt of attempts(mostAttempts)) {
    const [list, team] = await Promise.all([
      getList(forge, organizationId),
      forge.table.get<Team>(teamKey(organizationId, id)),
    ]);
    if (team === undefined || unpackTeams(list.teams).every((one) => one.id !== id)) {
      throw notFound(`team does not exist [id: ${id}]`);
    }
    const job = startJob(forge, "forget-team", { teamId: id, organizationId } satisfies DeletedTeam);
    const outcome = await forge.table.transact([
      remove(teamKey(organizationId, id), equals({ v: team.v })),
      remove(teamReferenceKey(id), exists),
      remove(teamNameKey(organizationId, team.name), equals({ teamId: id })),
      withoutTeam(list, organizationId, id),
      job.write,
    ]);
    if (outcome.committed) return send(forge, [job.message]);
  }
  throw conflict("the team is being changed by others; try again");
}

/**
 * Takes a deleted team out of memberships, repositories and requests for its review, some rows in each step. No row can
 * be added: that holds only while the team exists. The rows of a step are gone after it, so it needs no cursor.
 */
export const forgetTeam: JobKind<DeletedTeam, { readonly steps: number }> = {
  async step(forge, deleted, cursor) {
    const { teamId } = deleted;
    const [members, repositories] = await Promise.all([
      forge.table.queryAll<TeamMember>({
        ...{ pk: teamPartition(teamId), prefix: teamMemberPrefix, limit: rowsPerStep },
      }),
      forge.table.queryAll<TeamRepository>({
        ...{ pk: teamPartition(teamId), prefix: teamRepositoryPrefix, limit: rowsPerStep },
      }),
    ]);
    const { withdrawFromTeam } = await import("../review/remove.ts"); // few teams are asked for reviews
    const areAllAnswered = await withdrawFromTeam(forge, teamId);
    if (members.length === 0 && repositories.length === 0 && areAllAnswered) return { done: true };
    for (const member of members) await forgetMember(forge, deleted, member);
    for (const row of repositories) await forgetRow(forge, deleted, row);
    return { cursor: { steps: (cursor?.steps ?? 0) + 1 } };
  },
};

async function forgetMember(
  forge: Forge,
  { teamId, organizationId }: DeletedTeam,
  row: TeamMember,
): Promise<void> {
  for await (const _attempt of attempts(mostAttempts)) {
    const { userId } = row;
    const membership = await forge.table.get<Membership>(membershipKey(organizationId, userId));
    const left = (membership?.teamIds ?? []).filter((id) => id !== teamId);
    const departure = departureJob(forge, { userId, ownerId: organizationId });
    const outcome = await forge.table.transact([
      remove(row),
      ...teamMembershipWrites(organizationId, userId, membership, left),
      departure.write,
    ]);
    if (outcome.committed) return send(forge, [departure.message]);
  }
  throw conflict(`the membership of ${row.userId} is being changed by others`);
}

async function forgetRow(
  forge: Forge,
  { teamId, organizationId }: DeletedTeam,
  row: TeamRepository,
): Promise<void> {
  const repository = await forge.table.get<Repository>(repositoryKey(row.repositoryId));
  if (repository?.state === "live" && repository.ownerId === organizationId) {
    await forgetRepository(forge, { id: teamId, organizationId, isGone: true }, repository);
  }
  await forge.table.removeAll([row]);
}
