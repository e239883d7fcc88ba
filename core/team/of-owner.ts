import type { Forge } from "../forge.ts";
import { type Team, teamKey } from "./team.table.ts";

/** Teams of an organization by id, in one request at most: those that are gone, or another owner's, are missing. */
export async function findOwnersTeams(
  { table }: Forge,
  ownerId: number,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Team>> {
  const found = await table.getAll<Team>([...new Set(ids)].map((id) => teamKey(ownerId, id)));
  return new Map([...found.values()].map((team) => [team.id, team]));
}
