import { afterAll, beforeAll, expect, it } from "vitest";
import { type UnitName, unitKey, unitNames } from "#core/access/modes";
import { defined } from "#core/defined";
import { compact } from "#core/list-index/internal/compaction";
import { repositoryIndex } from "#core/repository/repository.index";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { createRandom } from "#tests/support/random";
import { setRepository } from "#tests/support/set-listed";
import { join, makeOrganization, makeRepository, makeTeam } from "../../organization/make.ts";

const random = createRandom();
const { chance, pick, some } = random;
const rounds = 30;
const visibilities = ["public", "public", "limited", "private"] as const;
const grantable: readonly UnitName[] = ["code", "issues", "pulls", "wiki"];

let api: TestApi;
let owner: Caller;
beforeAll(async () => {
  api = await makeApi({ simulation: false });
  owner = await api.makeUser({ name: "owner" });
  await makeOrganization(api, owner, "acme");
});
afterAll(() => api.stop());

const send = (method: string, path: string, body?: object) =>
  api.call(method, path, { as: owner, ...defined({ body }) });

/** Rights of a team on a few units, or an administrator's. */
function anyRights(): object {
  const includes_all_repositories = chance(0.4);
  if (chance(0.1)) return { permission: "admin", includes_all_repositories };
  const granted = [pick(grantable), ...some(grantable, 2)];
  const units_map = Object.fromEntries(granted.map((unit) => [`repo.${unit}`, pick(["read", "write"])]));
  return { permission: "write", units_map, includes_all_repositories };
}

/** Names in a list; as many as it counts. Undefined when the caller may not ask. */
async function namesIn(path: string, as: Caller | undefined, said: string): Promise<string[] | undefined> {
  const { status, json, headers } = await api.call("GET", path, { as });
  if (status !== 200) return undefined;
  const rows: { name?: string; topic_name?: string }[] = json.data ?? json.topics ?? json;
  expect(Number(headers.get("x-total-count")), said).toBe(rows.length);
  return rows.map((row) => row.name ?? row.topic_name ?? "").sort();
}

/** Lets the installation offer all units but these from now on. */
function offer(others: readonly UnitName[]): void {
  const { forge } = api;
  Object.assign(forge, { config: { ...forge.config, disabledRepoUnits: others.map(unitKey) } });
}

/** The names that lead a caller to a repository. */
async function seenBy(as: Caller | undefined, names: readonly string[]): Promise<string[]> {
  const statuses = await Promise.all(
    names.map(async (name) => (await api.call("GET", `/repos/acme/${name}`, { as })).status),
  );
  return names.filter((_name, place) => statuses[place] === 200);
}

it(`lists show and count what their callers may get, whatever units teams give and repositories have (B-18, SEED=${random.seed})`, async () => {
  const callers: (Caller | null)[] = [null, owner];
  for (const name of ["ann", "bob", "cleo"]) callers.push(await api.makeUser({ name }));
  const [ann] = callers.slice(2) as [Caller];
  callers.push(await api.makeUser({ name: "rex", isRestricted: true }));
  const people = callers.slice(2) as Caller[];
  callers.push(await api.makeUser({ name: "boss", isAdmin: true }));
  const token = await api.makeToken(ann, ["public-only", "all"]);
  callers.push({ ...ann, token });
  const teams: number[] = [];
  for (const name of ["one", "two"]) teams.push(await makeTeam(api, owner, "acme", name, anyRights()));
  const ids = new Map<string, number>();
  for (const name of ["a0", "b1", "c2", "d3"]) {
    ids.set(name, (await makeRepository(api, owner, "acme", name, { private: chance(0.7) })).id);
    await send("PUT", `/repos/acme/${name}/topics`, { topics: [name] });
  }
  for (const who of people) await join(api, owner, pick(teams), who);
  const anyPath = () => `/repos/acme/${pick([...ids.keys()])}`;
  const changes: readonly (() => Promise<unknown>)[] = [
    () => setRepository(api.forge, pick([...ids.values()]), { units: some(unitNames, chance(0.3) ? 0 : 3) }),
    () => setRepository(api.forge, pick([...ids.values()]), { units: some(unitNames, 4) }),
    () => send("PATCH", anyPath(), { private: chance(0.7) }),
    () => send("PATCH", anyPath(), { has_issues: chance(0.5), has_wiki: chance(0.5) }),
    () => send("PATCH", `/teams/${pick(teams)}`, anyRights()),
    () => send(chance(0.8) ? "PUT" : "DELETE", `/teams/${pick(teams)}${anyPath()}`),
    () => send(chance(0.7) ? "PUT" : "DELETE", `/teams/${pick(teams)}/members/${pick(people).name}`),
    () => send(chance(0.5) ? "PUT" : "DELETE", `${anyPath()}/collaborators/${pick(people).name}`),
    () => send("PATCH", "/orgs/acme", { visibility: pick(visibilities) }),
    () => compact(api.forge, repositoryIndex),
    async () => offer(chance(0.5) ? [] : some(["issues", "pulls", "wiki"], 3)),
  ];
  const sights = new Set<string>();
  for (let round = 0; round < rounds; round += 1) {
    await pick(changes)();
    await pick(changes)();
    for (const caller of [pick(callers), pick(people)]) {
      const as = caller ?? undefined;
      const said = `SEED=${random.seed}, round ${round}, ${as === undefined ? "nobody" : as.name}`;
      const seen = await seenBy(as, [...ids.keys()]);
      sights.add(`${as?.token} ${seen}`);
      const all = ["/repos/search", "/repos/search?sort=created", "/topics/search?q=", "/orgs/acme/repos"];
      const lists = await Promise.all(all.map((path) => namesIn(path, as, `${said}, ${path}`)));
      for (const names of lists) expect(names ?? seen, said).toEqual(seen);
      const own = ["/user/repos", "/user/repos?order_by=size", ...teams.map((id) => `/teams/${id}/repos`)];
      const owned = await Promise.all(own.map((path) => namesIn(path, as, `${said}, ${path}`)));
      expect(owned.flatMap((names) => names ?? []).filter((name) => !seen.includes(name))).toEqual([]);
      expect(owned[1], said).toEqual(owned[0]);
    }
  }
  expect(sights.size, "they differ").toBeGreaterThan(12);
});
