import { nowSeconds } from "../clock.ts";
import { attempts } from "../concurrency/attempts.ts";
import { conflict, ForgeError, notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { absent, equals } from "../table/condition.ts";
import { put, remove, update, type Write } from "../table/write.ts";
import { getList, teamNameTaken, teamTextProblem } from "./create.ts";
import { withTeam } from "./internal/access-list.ts";
import { type AskedRights, rightsFrom } from "./internal/rights.ts";
import { type Team, type TeamNameGuard, teamKey, teamNameKey } from "./team.table.ts";

/** The changes of a team; absent members stay as they are. */
export interface TeamChanges extends AskedRights {
  readonly name?: string;
  readonly description?: string;
  readonly includesAll?: boolean;
  readonly mayCreateRepositories?: boolean;
}

const mostAttempts = 10;

/**
 * Changes a team and answers it after the change. Of the owners' team only the description changes, the rest is
 * ignored. 422 when a field is not valid or the new name is taken; NotFound when it is gone meanwhile.
 */
export async function editTeam(forge: Forge, team: Team, changes: TeamChanges): Promise<Team> {
  const problem = teamTextProblem(changes);
  if (problem !== undefined) throw problem;
  let current = team;
  for await (const _attempt of attempts(mostAttempts)) {
    const edited = withChanges(forge, current, changes);
    const outcome = await forge.table.transact(await editWrites(forge, current, edited));
    if (outcome.committed) return edited;
    const isRenamed = !isSameName(current, edited);
    if (isRenamed && outcome.failed.includes(0)) throw teamNameTaken(team.organizationId, edited.name);
    const found = await forge.table.get<Team>(teamKey(team.organizationId, team.id));
    if (found === undefined) throw notFound(`team does not exist [id: ${team.id}]`);
    current = found;
  }
  throw conflict("the team is being changed by others; try again");
}

function withChanges(forge: Forge, current: Team, changes: TeamChanges): Team {
  const later = { updatedAt: nowSeconds(forge.clock), v: current.v + 1 };
  const description = changes.description ?? current.description;
  if (current.mode === "owner") return { ...current, description, ...later };
  const rights = rightsFrom(changes, current);
  if (rights instanceof ForgeError) throw rights;
  return {
    ...current,
    ...rights,
    ...later,
    description,
    name: changes.name ?? current.name,
    includesAll: changes.includesAll ?? current.includesAll,
    mayCreateRepositories: changes.mayCreateRepositories ?? current.mayCreateRepositories,
  };
}

const isSameName = (one: Team, other: Team) => one.name.toLowerCase() === other.name.toLowerCase();

async function editWrites(forge: Forge, before: Team, after: Team): Promise<Write[]> {
  const { id, organizationId } = before;
  const guard: TeamNameGuard = { ...teamNameKey(organizationId, after.name), teamId: id, _v: 1 };
  const names = isSameName(before, after)
    ? []
    : [put(guard, absent), remove(teamNameKey(organizationId, before.name), equals({ teamId: id }))];
  const { name, description, mode, units, includesAll, mayCreateRepositories, updatedAt, v } = after;
  const set = { name, description, mode, units, includesAll, mayCreateRepositories, updatedAt, v };
  const list = await getList(forge, organizationId);
  return [
    ...names,
    update(teamKey(organizationId, id), { set }, equals({ v: before.v })),
    withTeam(list, organizationId, after),
  ];
}
