import {
  type Collaborator,
  collaboratorKey,
  collaboratorMirrorKey,
  collaboratorsOf,
} from "../../collaborator/collaborator.table.ts";
import type { Forge } from "../../forge.ts";
import { equals, exists } from "../../table/condition.ts";
import { remove, update } from "../../table/write.ts";
import { repositoryChange, teamKey, teamRepositoryKey } from "../../team/team.table.ts";
import { type Repository, repositoryKey, repositoryNameKey } from "../repository.table.ts";

const collaboratorsPerStep = 50;

/**
 * Takes a repository that is being deleted from its teams and collaborators: one step. May be repeated; answers whether
 * it found anything and whether more is left.
 */
export async function emptyRights(
  forge: Forge,
  repositoryId: number,
): Promise<{ hasFound: boolean; hasMore: boolean }> {
  const { table } = forge;
  const repository = await table.get<Repository>(repositoryKey(repositoryId));
  const left = await Promise.all(
    (repository?.teamIds ?? []).map((teamId) =>
      leaveTeam(forge, repository?.ownerId ?? 0, teamId, repositoryId),
    ),
  );
  const limit = collaboratorsPerStep;
  const rows = await table.queryAll<Collaborator>({ ...collaboratorsOf(repositoryId), limit });
  await table.removeAll(
    rows.flatMap(({ userId }) => [
      collaboratorMirrorKey(userId, repositoryId),
      collaboratorKey(repositoryId, userId),
    ]),
  );
  return { hasFound: rows.length > 0 || left.includes(true), hasMore: rows.length === limit };
}

/** Ends former names; a name that somebody else has taken stays theirs. Answers whether there were any. */
export async function emptyNames({ table }: Forge, repositoryId: number): Promise<boolean> {
  const repository = await table.get<Repository>(repositoryKey(repositoryId));
  const isOurs = equals({ repositoryId, moved: true });
  const removed = await Promise.all(
    (repository?.formerNames ?? []).map(({ ownerId, name }) =>
      table.write(remove(repositoryNameKey(ownerId, name), isOurs)),
    ),
  );
  return removed.includes(true);
}

/** False when the team did not have it any more. The team may be gone, too: then there is nothing to count down. */
export async function leaveTeam(
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
