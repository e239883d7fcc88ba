import { expect } from "vitest";
import { type AccessModeName, accessMode, modeOf, type UnitName } from "#core/access/modes";
import { findAccess, type RepositoryAccess } from "#core/access/repository-access";
import { unpackTeams } from "#core/access/team-rights";
import { listCollaborators, setCollaborator, takeCollaborator } from "#core/collaborator/collaborator";
import { isForgeError } from "#core/errors";
import { createOrganization } from "#core/organization/create";
import { removeOrganizationMember } from "#core/organization/members";
import type { Organization } from "#core/organization/organization.table";
import { createRepository } from "#core/repository/create";
import { type Repository, repositoryKey } from "#core/repository/repository.table";
import type { Item } from "#core/table/write";
import { createTeam } from "#core/team/create";
import { editTeam } from "#core/team/edit";
import { findTeam } from "#core/team/list";
import { addTeamMember, removeTeamMember } from "#core/team/members";
import { addTeamRepository, removeTeamRepository } from "#core/team/of-repository";
import { removeTeam } from "#core/team/remove";
import { type AccessList, accessListKey, type Team, teamKey } from "#core/team/team.table";
import { createUser } from "#core/user/create";
import type { User } from "#core/user/user.table";
import type { TestForge } from "#tests/support/forge";
import type { Random } from "#tests/support/random";

type TeamMode = "read" | "write" | "admin" | "owner";

/** An organization as plain sets: the table must equal it. */
export interface Model {
  readonly teams: Record<
    number,
    { mode: TeamMode; includesAll: boolean; members: number[]; repositories: number[] }
  >;
  readonly collaborators: Record<number, Record<number, AccessModeName>>;
}

/**
 * One change: its effect on the table, and on the model. False: it is refused. `gone`: it is about a deleted team, and
 * changes nothing whatever it answers.
 */
export interface Change {
  readonly name: string;
  run(): Promise<unknown>;
  apply(model: Model): boolean | "gone";
}

const without = (list: number[], value: number) => list.filter((one) => one !== value);
const withValue = (list: number[], value: number) =>
  [...new Set([...list, value])].sort((one, other) => one - other);

/** An organization with users, repositories, and changes to draw from. */
export class Guild {
  readonly world: TestForge;
  readonly random: Random;
  readonly users: User[] = [];
  readonly repositories: Repository[] = [];
  /** Every team that ever was. */
  readonly teamIds: number[] = [];
  organization!: Organization;

  constructor(world: TestForge, random: Random) {
    this.world = world;
    this.random = random;
  }

  async found(): Promise<void> {
    const { forge } = this.world;
    for (let at = 0; at < 5; at += 1) {
      const given = { name: `u${at}`, email: `u${at}@example.com`, password: "correct-horse-9" };
      this.users.push(await createUser(forge, given));
    }
    const [founder] = this.users;
    if (founder === undefined) throw new Error("nobody founds it");
    this.organization = await createOrganization(forge, founder, { name: "guild" });
    for (let at = 0; at < 4; at += 1) {
      const given = { name: `r${at}`, isPrivate: at % 2 === 0 };
      this.repositories.push(await createRepository(forge, { user: founder }, this.organization, given));
    }
    this.teamIds.push(...Object.keys((await this.observe()).teams).map(Number));
  }

  /** A change at random, whether it is possible just now or not. */
  draw(): Change {
    const { forge } = this.world;
    const user = this.random.pick(this.users);
    const repository = this.random.pick(this.repositories);
    const teamId = this.random.pick(this.teamIds);
    const team = () => this.#team(teamId);
    const kinds: (() => Change)[] = [
      () => this.#createTeam(),
      () => ({
        name: `delete team ${teamId}`,
        run: async () => removeTeam(forge, await team()),
        apply: ({ teams: all }) => {
          if (all[teamId] === undefined) return "gone";
          if (all[teamId].mode === "owner") return false;
          delete all[teamId];
          return true;
        },
      }),
      () => this.#editTeam(teamId),
      ...Array.from({ length: 3 }, () => () => ({
        name: `add ${user.id} to ${teamId}`,
        run: async () => addTeamMember(forge, await team(), user.id),
        apply: ({ teams: all }: Model) => {
          const found = all[teamId];
          if (found !== undefined) found.members = withValue(found.members, user.id);
          return found !== undefined || "gone";
        },
      })),
      () => ({
        name: `remove ${user.id} from ${teamId}`,
        run: async () => removeTeamMember(forge, await team(), user.id),
        apply: ({ teams: all }) => leave(all[teamId], user.id),
      }),
      () => ({
        name: `remove ${user.id} from the organization`,
        run: () => removeOrganizationMember(forge, this.organization, user.id),
        apply: ({ teams: all }) => {
          const own = Object.values(all).filter(({ members }) => members.includes(user.id));
          if (own.some(({ mode, members }) => mode === "owner" && members.length === 1)) return false;
          for (const one of own) leave(one, user.id);
          return true;
        },
      }),
      ...Array.from({ length: 2 }, () => () => ({
        name: `give ${repository.id} to ${teamId}`,
        run: async () => addTeamRepository(forge, await this.#asOwner(repository.id), await team()),
        apply: ({ teams: all }: Model) => {
          const found = all[teamId];
          if (found !== undefined) found.repositories = withValue(found.repositories, repository.id);
          return found !== undefined || "gone";
        },
      })),
      () => ({
        name: `take ${repository.id} from ${teamId}`,
        run: async () => removeTeamRepository(forge, await this.#asOwner(repository.id), await team()),
        apply: ({ teams: all }) => {
          const found = all[teamId];
          if (found === undefined) return "gone";
          if (found.includesAll) return false;
          found.repositories = without(found.repositories, repository.id);
          return true;
        },
      }),
      () => this.#collaborate(repository, user.id),
    ];
    return this.random.pick(kinds)();
  }

  #createTeam(): Change {
    const mode = this.random.pick(["read", "write", "admin"] as const);
    const includesAll = this.random.chance(0.3);
    const name = `t${this.teamIds.length}-${this.random.integer(1e9)}`;
    const given = { name, mode, units: ["code"] as const, includesAll };
    return {
      name: `create team ${name}`,
      run: () => createTeam(this.world.forge, this.organization.id, given),
      apply: () => true, // its id is only known afterwards: `learn` takes it up
    };
  }

  #editTeam(teamId: number): Change {
    const mode = this.random.pick(["read", "write", "admin"] as const);
    const includesAll = this.random.chance(0.3);
    const changes = { mode, units: ["code"] as const, includesAll };
    return {
      name: `edit team ${teamId}`,
      run: async () => editTeam(this.world.forge, await this.#team(teamId), changes),
      apply: ({ teams: all }) => {
        const found = all[teamId];
        if (found !== undefined && found.mode !== "owner") Object.assign(found, { mode, includesAll });
        return found !== undefined || "gone";
      },
    };
  }

  #collaborate(repository: Repository, userId: number): Change {
    const mode = this.random.pick(["none", "read", "write", "admin"] as const);
    const { forge } = this.world;
    return {
      name: `${mode} on ${repository.id} for ${userId}`,
      run: () =>
        mode === "none"
          ? takeCollaborator(forge, repository.id, userId)
          : setCollaborator(forge, repository, userId, mode),
      apply: ({ collaborators: all }) => {
        const own = all[repository.id] ?? {};
        delete own[userId];
        if (mode !== "none") own[userId] = mode;
        all[repository.id] = own;
        return true;
      },
    };
  }

  async #team(id: number): Promise<Team> {
    const team = await findTeam(this.world.forge, id);
    if (team !== undefined) return team;
    // A request's state when another one deletes the team.
    const organizationId = this.organization.id;
    return {
      ...teamKey(organizationId, id),
      ...{ id, organizationId, name: `gone-${id}`, description: "", mode: "read", units: { code: "read" } },
      ...{ includesAll: false, mayCreateRepositories: false, members: 0, repositories: 0 },
      ...{ createdAt: 0, updatedAt: 0, v: 1, _v: 1 },
    };
  }

  async #repository(id: number): Promise<Repository> {
    const found = await this.world.forge.table.get<Repository>(repositoryKey(id));
    if (found === undefined) throw new Error(`repository ${id} is gone`);
    return found;
  }

  /** A repository as an owner of the organization meets it. */
  async #asOwner(id: number): Promise<RepositoryAccess> {
    const rights = { base: accessMode.owner, enabledUnits: new Set<UnitName>() };
    return { repository: await this.#repository(id), owner: this.organization, rights };
  }

  /** The table's content, by the list of rights: teams that are not in it count for nothing. */
  async observe(): Promise<Model> {
    const { table } = this.world.forge;
    const list = await table.get<AccessList>(accessListKey(this.organization.id));
    const found: Model = { teams: {}, collaborators: {} };
    for (const rights of unpackTeams(list?.teams)) {
      const rows = await table.queryAll<Item>({ pk: `TEAM#${rights.id}` });
      const idsOf = (prefix: string, name: string) =>
        rows.filter(({ sk }) => sk.startsWith(prefix)).map((row) => Number(row[name]));
      const names = Object.entries(accessMode) as [AccessModeName, number][];
      found.teams[rights.id] = {
        mode: names.find(([, mode]) => mode === rights.mode)?.[0] as TeamMode,
        includesAll: rights.includesAll,
        members: idsOf("M#", "userId"),
        repositories: idsOf("R#", "repositoryId"),
      };
    }
    for (const repository of this.repositories) {
      const rows = await listCollaborators(this.world.forge, repository);
      if (rows.length > 0)
        found.collaborators[repository.id] = Object.fromEntries(rows.map((row) => [row.userId, row.mode]));
    }
    for (const id of Object.keys(found.teams).map(Number)) {
      if (!this.teamIds.includes(id)) this.teamIds.push(id);
    }
    return found;
  }

  /** The mirrors and counts, once all jobs are done. */
  async checkMirrors(): Promise<void> {
    const { table } = this.world.forge;
    const model = await this.observe();
    const { id: organizationId } = this.organization;
    const memberships = await table.queryAll<Item>({ pk: `O#${organizationId}`, prefix: "MEM#" });
    const byUser = new Map(memberships.map((item) => [item.userId, item.teamIds]));
    for (const { id } of this.users) {
      const rows = Object.entries(model.teams).flatMap(([teamId, { members }]) =>
        members.includes(id) ? [Number(teamId)] : [],
      );
      const mirrors = await table.queryAll<Item>({ pk: `U#${id}`, prefix: "ORG#" });
      expect(byUser.get(id) ?? []).toEqual(rows);
      expect(mirrors.map(({ teamIds }) => teamIds)).toEqual(rows.length === 0 ? [] : [rows]);
      const collaborations = await table.queryAll<Item>({ pk: `U#${id}`, prefix: "COLL#" });
      expect(Object.fromEntries(collaborations.map((item) => [item.repositoryId, item.mode]))).toEqual(
        Object.fromEntries(
          Object.entries(model.collaborators).flatMap(([repository, modes]) =>
            modes[id] === undefined ? [] : [[repository, modes[id]]],
          ),
        ),
      );
    }
    const items = await table.queryAll<Team>({ pk: `O#${organizationId}`, prefix: "TEAM#" });
    expect(items.map(({ id, members, repositories: count }) => [id, members, count])).toEqual(
      Object.entries(model.teams).map(([id, team]) => [
        Number(id),
        team.members.length,
        team.repositories.length,
      ]),
    );
    for (const { id } of this.repositories) {
      const { teamIds = [] } = await this.#repository(id);
      const rows = Object.entries(model.teams).filter(([, team]) => team.repositories.includes(id));
      expect(teamIds).toEqual(rows.map(([teamId]) => Number(teamId)));
    }
    const owners = Object.values(model.teams).filter(({ mode }) => mode === "owner");
    expect(owners).toHaveLength(1);
    expect(owners[0]?.members.length).toBeGreaterThan(0);
  }

  /** Everybody's rights on everything, against the rules in plain words. */
  async checkRights(model: Model): Promise<void> {
    for (const user of this.users) {
      for (const { id, name, isPrivate } of this.repositories) {
        const own = Object.values(model.teams).filter(
          (team) => team.members.includes(user.id) && (team.includesAll || team.repositories.includes(id)),
        );
        const given = accessMode[model.collaborators[id]?.[user.id] ?? "none"];
        const best = Math.max(
          given,
          isPrivate ? 0 : accessMode.read,
          ...own.map(({ mode }) => accessMode[mode]),
        );
        const isChief = own.some(({ mode }) => mode === "admin" || mode === "owner");
        const access = await findAccess(this.world.forge, { user }, "guild", name);
        const code = access === undefined ? 0 : modeOf(access.rights, "code");
        expect(`${user.name} on ${name}: ${code}`).toBe(
          `${user.name} on ${name}: ${isChief ? accessMode.owner : best}`,
        );
      }
    }
  }
}

function leave(team: Model["teams"][number] | undefined, userId: number): boolean | "gone" {
  if (team === undefined) return "gone";
  if (!team.members.includes(userId)) return true;
  if (team.mode === "owner" && team.members.length === 1) return false;
  team.members = without(team.members, userId);
  return true;
}

/** Whether a change was refused, as opposed to failing. */
export async function isRefused(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return false;
  } catch (error) {
    if (isForgeError(error)) return true;
    throw error;
  }
}
