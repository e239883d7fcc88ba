import { movedEntry } from "../../../activity/moved.ts";
import type { Actor } from "../../../actor.ts";
import { nowSeconds } from "../../../clock.ts";
import { collaboratorRemovalWrites } from "../../../collaborator/collaborator.ts";
import { attempts } from "../../../concurrency/attempts.ts";
import { conflict, notFound, unprocessable } from "../../../errors.ts";
import { type OutgoingMessage, send } from "../../../events/outbox.ts";
import type { Forge } from "../../../forge.ts";
import { startJob } from "../../../jobs/job.ts";
import type { MovedRepository } from "../../../lifecycle/lifecycle.ts";
import { ownerStays, requireStaying } from "../../../owner/deletion.ts";
import type { Owner } from "../../../owner/owner.ts";
import { cardMoveWrites } from "../../../quota/card-usage.ts";
import { equals, exists } from "../../../table/condition.ts";
import { keyText, put, remove, update, type Write } from "../../../table/write.ts";
import {
  repositoryChange,
  type Team,
  type TeamRepository,
  teamKey,
  teamRepositoryKey,
} from "../../../team/team.table.ts";
import { handOverFork } from "../../fork/fork-guards.ts";
import { nameMove } from "../../internal/names.ts";
import { repositoryDelta } from "../../listing/index-writes.ts";
import { cardKey, type Repository, type RepositoryCard, repositoryKey } from "../../repository.table.ts";

const mostAttempts = 10;
/** Of those that had the repository: the job sees to the rest. */
const mostTeamsAtOnce = 20;
/** How many rows and counts of teams fit into a transaction beside everything else. */
const mostTeamWrites = 85;

export const nameConflict = (owner: Owner, name: string) =>
  unprocessable(`repository already exists [uname: ${owner.name}, name: ${name}]`);

/**
 * Gives a repository to an owner, as one transaction: repository, names, cards, its teams and the end of the pending
 * transfer. Its former path leads to it; issues, stars, hooks and refs refer to its id and stay. A job removes what
 * means nothing any more, and feeds tell that `actor` did it. `require` throws when the repository, as it is then, may
 * not be given.
 */
export async function handOver(
  forge: Forge,
  actor: Actor,
  repositoryId: number,
  to: Owner,
  teamIds: readonly number[],
  require: (current: Repository) => void,
): Promise<Repository> {
  for await (const _attempt of attempts(mostAttempts)) {
    const current = await forge.table.get<Repository>(repositoryKey(repositoryId));
    if (current?.state !== "live") throw notFound("the repository was deleted meanwhile");
    require(current);
    const plan = await planHandOver(forge, actor, current, to, teamIds);
    const outcome = await forge.table.transact(plan.writes);
    if (outcome.committed) {
      await send(forge, plan.messages);
      return plan.after;
    }
    if (outcome.failed.includes(nameGuardAt)) throw nameConflict(to, current.name);
    if (outcome.failed.includes(ownerAt)) await requireStaying(forge, to);
  }
  throw conflict("the repository is being changed by others; try again");
}

const nameGuardAt = 0;
const ownerAt = 2;

interface Plan {
  readonly after: Repository;
  readonly writes: readonly Write[];
  readonly messages: readonly OutgoingMessage[];
}

async function planHandOver(
  forge: Forge,
  actor: Actor,
  before: Repository,
  to: Owner,
  teamIds: readonly number[],
): Promise<Plan> {
  const { id, ownerId, name, v } = before;
  const card = await forge.table.get<RepositoryCard>(cardKey(ownerId, id));
  if (card === undefined) throw notFound("the repository was deleted, or handed over, meanwhile");
  const { formerNames = [], writes: nameWrites } = nameMove(before, { ownerId: to.id, name });
  if (nameWrites.length === 0) throw nameConflict(to, name);
  const rows = await teamWrites(forge, before, to, teamIds);
  const set = {
    ...{ ownerId: to.id, teamIds: rows.teamIds, formerNames },
    ...{ updatedAt: nowSeconds(forge.clock), v: v + 1 },
  };
  const { transfer: _ended, ...rest } = before;
  const after = { ...(rest as Repository), ...set };
  const jobs = followUpJobs(forge, {
    ...{ repositoryId: id, ownerId: to.id, formerOwnerId: ownerId },
    formerTeamIds: rows.left,
  });
  const moved = movedEntry(forge, {
    ...{ repositoryId: id, actorId: actor.user.id, name },
    formerOwnerId: ownerId,
  });
  const meta = update(repositoryKey(id), { set, unset: ["transfer"] }, equals({ v, state: "live" }));
  const writes = [
    ...nameWrites,
    ownerStays(to.id),
    meta,
    repositoryDelta(after),
    ...cardMoveWrites(card, ownerId, to.id),
    ...collaboratorRemovalWrites(id, to.id),
    ...(await handOverFork(forge, before, to.id)),
    ...rows.writes,
    ...jobs.map(({ write }) => write),
    moved.write,
  ];
  return { after, writes, messages: [...jobs.map(({ message }) => message), moved] };
}

/** What follows the transaction: the rest of the move, and forks become as visible as the new owner lets them be. */
const followUpJobs = (forge: Forge, moved: MovedRepository) => [
  startJob(forge, "settle-transfer", moved),
  startJob(forge, "follow-visibility", { repositoryId: moved.repositoryId }),
];

/**
 * The teams that lose the repository and those that get it; `left` ones are left to the job. Deleted teams count for
 * nothing.
 */
async function teamWrites(
  { table }: Forge,
  before: Repository,
  to: Owner,
  teamIds: readonly number[],
): Promise<{ readonly writes: Write[]; readonly teamIds: number[]; readonly left: number[] }> {
  const former = before.teamIds ?? [];
  const room = Math.floor(mostTeamWrites / 2) - new Set(teamIds).size;
  const atOnce = Math.min(mostTeamsAtOnce, room);
  const now = former.slice(0, atOnce);
  const found = await table.getAll<Team>([
    ...now.map((id) => teamKey(before.ownerId, id)),
    ...teamIds.map((id) => teamKey(to.id, id)),
  ]);
  const isThere = (organizationId: number, id: number) => found.has(keyText(teamKey(organizationId, id)));
  const given = [...new Set(teamIds)].filter((id) => isThere(to.id, id));
  const counted = (organizationId: number, id: number, by: 1 | -1) =>
    update(teamKey(organizationId, id), repositoryChange(by), exists);
  const writes = [
    ...now.flatMap((id) => [
      remove(teamRepositoryKey(id, before.id)),
      ...(isThere(before.ownerId, id) ? [counted(before.ownerId, id, -1)] : []),
    ]),
    ...given.flatMap((id) => {
      const row: TeamRepository = { ...teamRepositoryKey(id, before.id), repositoryId: before.id, _v: 1 };
      return [put(row), counted(to.id, id, 1)];
    }),
  ];
  return {
    writes,
    teamIds: given.sort((one, other) => one - other),
    left: former.slice(atOnce),
  };
}
