import { unpackTeams } from "../access/team-rights.ts";
import { nowSeconds } from "../clock.ts";
import { attempts } from "../concurrency/attempts.ts";
import { conflict, ForgeError, invalid, notFound, unprocessable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { nextId } from "../ids.ts";
import { absent } from "../table/condition.ts";
import { put, type Write } from "../table/write.ts";
import { firstAccessList, mostTeams, withTeam } from "./internal/access-list.ts";
import { type AskedRights, allUnits, rightsFrom } from "./internal/rights.ts";
import { memberRow, teamMembershipWrites } from "./memberships.ts";
import {
  type AccessList,
  accessListKey,
  type Team,
  type TeamNameGuard,
  type TeamReference,
  teamKey,
  teamNameKey,
  teamReferenceKey,
} from "./team.table.ts";

/** The parts of a new team. */
export interface NewTeam extends AskedRights {
  readonly name: string;
  readonly description?: string;
  readonly includesAll?: boolean;
  readonly mayCreateRepositories?: boolean;
}

const mostAttempts = 10;

/** Creates a team. 422 when a field is not valid, the name is taken or the organization has 500 teams. */
export async function createTeam(forge: Forge, organizationId: number, given: NewTeam): Promise<Team> {
  const problem = teamTextProblem(given);
  if (problem !== undefined) throw problem;
  const rights = rightsFrom(given);
  if (rights instanceof ForgeError) throw rights;
  const id = await nextId(forge.table, "team");
  const team = newTeam(forge, organizationId, id, { ...given, ...rights });
  for await (const _attempt of attempts(mostAttempts)) {
    const list = await getList(forge, organizationId);
    if (unpackTeams(list.teams).length >= mostTeams) {
      throw unprocessable(`an organization may have at most ${mostTeams} teams`);
    }
    const outcome = await forge.table.transact([...teamItems(team), withTeam(list, organizationId, team)]);
    if (outcome.committed) return team;
    if (outcome.failed.includes(0)) throw teamNameTaken(organizationId, team.name);
  }
  throw conflict("the organization's teams are being changed by others; try again");
}

/** The team of an organization's owners, with its first member: for the transaction that creates the organization. */
export function ownersTeamWrites(forge: Forge, organizationId: number, id: number, userId: number): Write[] {
  const team = {
    ...newTeam(forge, organizationId, id, {
      ...allUnits("owner"),
      name: "Owners",
      includesAll: true,
      mayCreateRepositories: true,
    }),
    members: 1,
  };
  return [
    ...teamItems(team),
    firstAccessList(organizationId, team),
    put(memberRow(id, userId)),
    ...teamMembershipWrites(organizationId, userId, undefined, [id]),
  ];
}

function newTeam(
  forge: Forge,
  organizationId: number,
  id: number,
  given: Omit<NewTeam, "mode" | "units"> & Pick<Team, "mode" | "units">,
): Team {
  const now = nowSeconds(forge.clock);
  return {
    ...teamKey(organizationId, id),
    id,
    organizationId,
    name: given.name,
    description: given.description ?? "",
    mode: given.mode,
    units: given.units,
    includesAll: given.includesAll ?? false,
    mayCreateRepositories: given.mayCreateRepositories ?? false,
    members: 0,
    repositories: 0,
    createdAt: now,
    updatedAt: now,
    v: 1,
    _v: 1,
  };
}

/** The team, and the items that find it. The name comes first: callers tell by its place that it is taken. */
function teamItems(team: Team): Write[] {
  const { id, organizationId, name } = team;
  const guard: TeamNameGuard = { ...teamNameKey(organizationId, name), teamId: id, _v: 1 };
  const reference: TeamReference = { ...teamReferenceKey(id), organizationId, _v: 1 };
  return [put(guard, absent), put(team, absent), put(reference, absent)];
}

/** The organization's access list, which every change of a team's rights replaces. */
export async function getList(forge: Forge, organizationId: number): Promise<AccessList> {
  const list = await forge.table.get<AccessList>(accessListKey(organizationId));
  if (list === undefined) throw notFound("the organization was deleted meanwhile");
  return list;
}

export const teamNameTaken = (organizationId: number, name: string): ForgeError =>
  unprocessable(`team already exists [org_id: ${organizationId}, name: ${name}]`);

const longest = { name: 255, description: 255 };

/** Why a team may not have this name or description (semantics §30), or undefined when it may. */
export function teamTextProblem({
  name,
  description = "",
}: {
  readonly name?: string;
  readonly description?: string;
}): ForgeError | undefined {
  if (name !== undefined) {
    if (name === "") return invalid("Name", "Required");
    if (name.length > longest.name) return invalid("Name", `MaxSize ${longest.name}`);
    if (!/^[A-Za-z0-9_.-]+$/.test(name)) return invalid("Name", "AlphaDashDot: letters, digits and - _ .");
    if (name.toLowerCase() === "new") return unprocessable(`Name: the name ${name} is reserved`);
  }
  return description.length > longest.description
    ? invalid("Description", `MaxSize ${longest.description}`)
    : undefined;
}
