import { attempts } from "../../concurrency/attempts.ts";
import { conflict, notFound, unprocessable } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import { type Repository, repositoryKey } from "../../repository/repository.table.ts";
import { withTeams } from "../../repository/teams.ts";
import { absent, exists } from "../../table/condition.ts";
import { put, remove, update } from "../../table/write.ts";
import {
  repositoryChange,
  type Team,
  type TeamRepository,
  teamKey,
  teamRepositoryKey,
} from "../team.table.ts";

const mostAttempts = 10;
const mostPerRepository = 500;

/**
 * Gives a repository of its organization to a team, without checking rights; does nothing when the team has it already.
 */
export async function giveRepository(forge: Forge, team: Team, repository: Repository): Promise<void> {
  const { id, organizationId } = team;
  await changeTeams(forge, repository, organizationId, (current) => {
    const teamIds = current.teamIds ?? [];
    if (teamIds.includes(id)) return undefined;
    if (teamIds.length >= mostPerRepository) {
      throw unprocessable(`a repository may be given to at most ${mostPerRepository} teams`);
    }
    const row: TeamRepository = { ...teamRepositoryKey(id, current.id), repositoryId: current.id, _v: 1 };
    return [
      update(teamKey(organizationId, id), repositoryChange(1), exists),
      put(row, absent),
      ...withTeams(current, [...teamIds, id]),
    ];
  });
}

/**
 * Takes a repository from a team, without checking rights; does nothing when it was not given. A deleted team no longer
 * counts.
 */
export async function forgetRepository(
  forge: Forge,
  { id, organizationId, isGone = false }: Pick<Team, "id" | "organizationId"> & { isGone?: boolean },
  repository: Repository,
): Promise<void> {
  await changeTeams(forge, repository, organizationId, (current) => {
    const teamIds = current.teamIds ?? [];
    if (!teamIds.includes(id)) return undefined;
    return [
      ...(isGone ? [] : [update(teamKey(organizationId, id), repositoryChange(-1), exists)]),
      remove(teamRepositoryKey(id, current.id)),
      ...withTeams(
        current,
        teamIds.filter((one) => one !== id),
      ),
    ];
  });
}

async function changeTeams(
  forge: Forge,
  repository: Repository,
  organizationId: number,
  writesFor: (current: Repository) => Parameters<Forge["table"]["transact"]>[0] | undefined,
): Promise<void> {
  let current: Repository | undefined = repository;
  for await (const _attempt of attempts(mostAttempts)) {
    if (current?.state !== "live" || current.ownerId !== organizationId) {
      throw notFound("the repository is gone, or no longer the organization's");
    }
    const writes = writesFor(current);
    if (writes === undefined) return;
    if ((await forge.table.transact(writes)).committed) return;
    const found = await forge.table.getAll<Repository>([repositoryKey(repository.id)]);
    current = [...found.values()][0];
  }
  throw conflict("the repository or the team is being changed by others; try again");
}
