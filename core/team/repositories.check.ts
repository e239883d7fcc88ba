import type { Forge } from "../forge.ts";
import { agreed, asRead, type Finding, mending, type Repair, shownKey } from "../lifecycle/check/finding.ts";
import type { TableFacts } from "../lifecycle/check/table-facts.ts";
import { deltaWrite } from "../list-index/list-index.ts";
import { type PlacedRepository, repositoriesIn } from "../repository/checked-repository.ts";
import { repositoryIndex } from "../repository/repository.index.ts";
import { type Repository, repositoryEntry, repositoryKey } from "../repository/repository.table.ts";
import { absent, equals, exists } from "../table/condition.ts";
import { check, keyText, put, remove, type TableKey, update } from "../table/write.ts";
import { teamsIn } from "./internal/checked-teams.ts";
import {
  type Team,
  type TeamRepository,
  teamKey,
  teamPartition,
  teamRepositoryKey,
  teamRepositoryPrefix,
} from "./team.table.ts";

/** The kind of what a team was given. */
export const givenKind = "TEAM#<team> / R#<repository>";

const finding = (key: TableKey, problem: string, remedy: string, repair: Repair): Finding => ({
  invariant: 5,
  key: shownKey(key),
  problem,
  remedy,
  repair,
});

const saysStill = (id: number, { ownerId, teamIds }: PlacedRepository) =>
  check(repositoryKey(id), equals({ ownerId, state: "live", teamIds }));

/**
 * Invariant 5: a repository names the teams of its owner that were given it, each of them lists it, and counts its
 * list. Remains of deleted teams, and of repositories that are being deleted, are left to a job.
 */
export function checkTeamRepositories(facts: TableFacts): Finding[] {
  const [placed, teams] = [repositoriesIn(facts), teamsIn(facts)];
  const teamRepositories = facts.all<TeamRepository>(givenKind);
  const rows = new Map(teamRepositories.map((row) => [keyText(row), row]));
  const live = [...placed].filter(([, { state }]) => state === "live");
  const given = live.flatMap(([id, repository]) =>
    (repository.teamIds ?? []).flatMap((teamId) => ({ id, repository, team: teams.get(teamId) })),
  );
  const findings: Finding[] = [];
  const expected = new Set<string>();
  for (const { id, repository, team } of given) {
    if (team === undefined) continue;
    if (team.organizationId !== repository.ownerId) {
      findings.push(foreignTeam(id, repository, team));
      continue;
    }
    const row: TeamRepository = { ...teamRepositoryKey(team.id, id), repositoryId: id, _v: 1 };
    expected.add(keyText(row));
    if (rows.has(keyText(row))) continue;
    const isThere = check(teamKey(team.organizationId, team.id), exists);
    const mended = mending([saysStill(id, repository), isThere], put(row, absent));
    findings.push(finding(row, "is missing; the repository names the team", "writes it", mended));
  }
  const isWaiting = ({ repositoryId }: TeamRepository) => placed.get(repositoryId)?.state === "deleting";
  for (const row of teamRepositories) {
    const team = teams.get(Number(row.pk.slice(teamPartition(0).length - 1)));
    if (team === undefined || expected.has(keyText(row)) || isWaiting(row)) continue;
    const repository = placed.get(row.repositoryId);
    const key = repositoryKey(row.repositoryId);
    const isAsFound = repository === undefined ? check(key, absent) : saysStill(row.repositoryId, repository);
    const mended = mending([isAsFound], remove(row, asRead(row)));
    findings.push(finding(row, "is of no repository that names the team", "removes it", mended));
  }
  return [...findings, ...wrongCounts(facts)];
}

/** Nothing was given by it: rights go by the teams of the owner. */
const foreignTeam = (id: number, { ownerId }: PlacedRepository, team: Team): Finding => ({
  invariant: 5,
  key: shownKey(repositoryKey(id)),
  problem: `names team ${team.id} of organization ${team.organizationId}, its owner is ${ownerId}`,
  remedy: "takes the team off the repository",
  repair: async ({ table }) => {
    const found = await table.get<Repository>(repositoryKey(id));
    if (found?.state !== "live" || found.ownerId !== ownerId) return false;
    const set = { teamIds: (found.teamIds ?? []).filter((one) => one !== team.id), v: found.v + 1 };
    const outcome = await table.transact([
      update(repositoryKey(id), { set }, equals({ v: found.v, state: "live", teamIds: found.teamIds })),
      deltaWrite(repositoryIndex, id, repositoryEntry({ ...found, ...set }), set.v),
    ]);
    return outcome.committed;
  },
});

function wrongCounts(facts: TableFacts): Finding[] {
  const counted = new Map<string, number>();
  for (const { pk } of facts.all<TeamRepository>(givenKind)) counted.set(pk, (counted.get(pk) ?? 0) + 1);
  return [...teamsIn(facts).values()].flatMap((team): Finding[] => {
    const rows = counted.get(teamPartition(team.id)) ?? 0;
    if (team.repositories === rows) return [];
    const problem = `counts ${team.repositories} repositories, it lists ${rows}`;
    const key = teamKey(team.organizationId, team.id);
    return [finding(key, problem, "counts them anew", (forge) => recount(forge, team))];
  });
}

/** Each change of the list moves `repositoryChanges` with the count, so that none can come between unseen. */
async function recount({ table }: Forge, { id, organizationId }: Team): Promise<boolean> {
  const key = teamKey(organizationId, id);
  const counted = await agreed(async () => {
    const team = await table.get<Team>(key);
    const rows = await table.queryAll({ pk: teamPartition(id), prefix: teamRepositoryPrefix });
    return team && { before: team.repositories, changes: team.repositoryChanges, rows: rows.length };
  });
  if (counted === undefined) return false;
  const { before, changes, rows } = counted;
  const when = equals({ repositories: before, repositoryChanges: changes });
  return table.write(update(key, { set: { repositories: rows } }, when));
}
