import { expect } from "vitest";
import { createApi } from "#functions/api/app";
import { repositoryEventsWorker } from "#functions/workers/repository-events";
import type { Caller, JsonValue, TestApi } from "#tests/support/api";
import { checkContract } from "#tests/support/contract/contract";
import type { Random } from "#tests/support/random";
import { join, makeOrganization, makeTeam } from "./organization/make.ts";

/** Repositories that people gain and lose sight of, whose texts are all marks that are nowhere else. */
interface World {
  readonly api: TestApi;
  readonly random: Random;
  /** Its own among the worlds of a table. */
  readonly number: number;
  readonly users: readonly Caller[];
  readonly boss: Caller;
  readonly organization: string;
  readonly teams: readonly number[];
  /** Ids of the repositories, by the first name of each, which still leads to it. */
  readonly repositories: Map<string, number>;
  /** Which repository each mark is of. */
  readonly secrets: Map<string, number>;
}

type App = ReturnType<typeof createApi>;

interface Seen {
  readonly status: number;
  readonly text: string;
  readonly json: JsonValue;
  readonly total: string | null;
}

/** Sends a request to a process, and follows former names. */
async function ask(
  app: App,
  as: Caller | undefined,
  path: string,
  method = "GET",
  body?: object,
): Promise<Seen> {
  const headers = {
    "content-type": "application/json",
    ...(as === undefined ? {} : { authorization: `token ${as.token}` }),
  };
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const send = (to: string) => app.request(to, init, { clientAddress: "192.0.2.1" });
  let response = await send(`/api/v1${path}`);
  for (let hops = 0; response.status === 307 && hops < 3; hops += 1) {
    const { pathname, search } = new URL(response.headers.get("location") ?? "");
    response = await send(`${pathname}${search}`);
  }
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
  const json = isJson && text !== "" ? JSON.parse(text) : undefined;
  return { status: response.status, text, json, total: response.headers.get("x-total-count") };
}

/** A process over the same table with memories of its own. */
const processOf = ({ forge }: TestApi): App =>
  createApi({
    forge: { ...forge, table: { ...forge.table }, blobs: { ...forge.blobs }, config: { ...forge.config } },
    observe: checkContract,
  });

/**
 * One process changes rights and all texts; another has looked at every list all the time. After each change nothing
 * that it shows a caller may name something that a process that has just begun hides from them, and no list may count
 * more than it shows. Answers how many changes went through.
 */
export async function loseSight(
  api: TestApi,
  random: Random,
  { number, steps }: { number: number; steps: number },
) {
  const world = await makeWorld(api, random, number);
  const looking = processOf(api);
  const story: string[] = [];
  for (let step = 0; step < steps; step += 1) {
    const [as, method, path, body] = await changeOf(world);
    const { status, text } = await ask(api.app, as, path, method, body);
    expect(status, `${method} ${path}: ${text}`).toBeLessThan(500);
    if (status >= 300) continue;
    story.push(`${method} ${path} ${JSON.stringify(body)} by ${as.name}`);
    // Few forks follow at once, their own forks by a job.
    await api.queues.drain("repository-events", (event) => repositoryEventsWorker(api.forge, event));
    await look(world, looking, `SEED=${random.seed}\n${story.join("\n")}`);
  }
  return story.length;
}

async function look(world: World, looking: App, told: string): Promise<void> {
  const { api, random, users, secrets, repositories } = world;
  const caller = random.pick([...users, null]) ?? undefined;
  const begun = processOf(api);
  const hidden = new Set<number>();
  let shown: number | undefined;
  for (const id of repositories.values()) {
    const { status } = await ask(begun, caller, `/repositories/${id}`);
    if (status === 200) shown = id;
    else hidden.add(id);
  }
  const hiddenSecrets = [...secrets].filter(([, id]) => hidden.has(id)).map(([secret]) => secret);
  const pages = [...listsOf(world, caller), ...(await pagesOf(world, shown))];
  for (const page of random.some(pages, 16)) {
    const seen = await ask(looking, caller, page);
    const where = `${told}\n${page} as ${caller?.name ?? "nobody"}`;
    expect(seen.status, where).toBeLessThan(500);
    const named = hiddenSecrets.filter((secret) => !page.includes(secret) && seen.text.includes(secret));
    expect(named, `${where}: ${seen.text}`).toEqual([]);
    const rows = Array.isArray(seen.json) ? seen.json : (seen.json?.data ?? seen.json?.topics);
    if (seen.total !== null && rows?.length < 30) expect(Number(seen.total), where).toBe(rows.length);
  }
}

/** Lists of things in all repositories. */
function listsOf(
  { random, organization, users, teams, secrets }: World,
  caller: Caller | undefined,
): string[] {
  const secret = random.pick([...secrets.keys()]);
  const own = ["/user/repos", "/user/repos?order_by=size", "/user/starred", "/user/subscriptions"];
  const flags = ["created", "assigned", "mentioned"].map((flag) => `&${flag}=true`);
  const work = ["/user/times", "/user/stopwatches", "/user/teams", "/user/orgs"];
  return [
    "/repos/search?limit=50",
    ...["includeDesc", "topic"].map((flag) => `/repos/search?q=${secret}&${flag}=true`),
    ...users.map(({ user }) => `/repos/search?uid=${user.id}&limit=50`),
    ...users.map(({ user }) => `/repos/search?starredBy=${user.id}&limit=50`),
    ...teams.flatMap((id) => [`/repos/search?team_id=${id}`, `/teams/${id}/repos?limit=50`]),
    `/orgs/${organization}/repos?limit=50`,
    ...["repos", "starred", "subscriptions"].flatMap((list) =>
      users.map(({ name }) => `/users/${name}/${list}?limit=50`),
    ),
    ...["", `&q=${secret}`, `&labels=${secret}`, `&owner=${organization}`, ...(caller ? flags : [])].map(
      (filter) => `/repos/issues/search?state=all&limit=50${filter}`,
    ),
    `/topics/search?q=${secret}`,
    ...(caller === undefined ? [] : [...own, ...work]),
  ];
}

/** Pages of a repository that the caller sees, which others are forked from, refer to and depend on. */
async function pagesOf(world: World, id: number | undefined): Promise<string[]> {
  if (id === undefined) return [];
  const path = `/repos/${await nameOf(world, id)}`;
  const ofIssues = ["", "/timeline?limit=50", "/dependencies", "/blocks", "/comments"].flatMap((part) => [
    `${path}/issues/1${part}`,
    `${path}/issues/2${part}`,
  ]);
  const lists = ["forks", "issues?state=all", "stargazers", "subscribers", "times", "labels"];
  return [path, ...lists.map((list) => `${path}/${list}`), ...ofIssues];
}

const nameOf = async ({ api, boss }: World, id: number): Promise<string | undefined> =>
  (await ask(api.app, boss, `/repositories/${id}`)).json?.full_name;

type Change = readonly [as: Caller, method: string, path: string, body?: object];

/** A change by somebody who may, mostly. */
async function changeOf(world: World): Promise<Change> {
  const { random, boss, users, teams, organization, repositories } = world;
  const [first, id] = random.pick([...repositories]);
  const path = `/repos/${await nameOf(world, id)}`;
  const secret = () => secretOf(world, id);
  const someone = () => random.pick(users).name;
  const other = random.pick([...repositories.keys()]);
  const team = `/teams/${random.pick(teams)}`;
  const [owner] = users as [Caller];
  const visibility = random.pick(["public", "limited", "private"]);
  const depends = async (): Promise<Change> => {
    const [ownerName, repo] = (await nameOf(world, repositories.get(other) ?? id))?.split("/") ?? [];
    return [boss, "POST", `${path}/issues/1/dependencies`, { index: 2, owner: ownerName, repo }];
  };
  const changes: readonly (() => Change | Promise<Change>)[] = [
    () => [boss, "PATCH", path, { private: random.chance(0.6) }],
    () => [
      boss,
      "PATCH",
      path,
      { name: secret(), description: secret(), website: `https://${secret()}.test` },
    ],
    () => [boss, "PUT", `${path}/topics`, { topics: [secret()] }],
    () => [boss, "PUT", `${path}/collaborators/${someone()}`, { permission: "write" }],
    () => [boss, "DELETE", `${path}/collaborators/${someone()}`],
    () => [boss, "PUT", `${team}${path}`],
    () => [boss, "DELETE", `${team}${path}`],
    () => [owner, "PUT", `${team}/members/${someone()}`],
    () => [owner, "DELETE", `${team}/members/${someone()}`],
    () => [owner, "DELETE", `/orgs/${organization}/members/${someone()}`],
    () => [boss, "PATCH", path, { has_issues: random.chance(0.5) }],
    () => [boss, "PATCH", `/admin/users/${someone()}`, { visibility, restricted: random.chance(0.2) }],
    () => [owner, "PATCH", `/orgs/${organization}`, { visibility }],
    () => [boss, "POST", `${path}/transfer`, { new_owner: random.pick([someone(), organization]) }],
    () => [random.pick(users), "POST", `${path}/transfer/accept`],
    () => [random.pick(users), "PUT", path.replace("/repos", "/user/starred")],
    () => [random.pick(users), "PUT", `${path}/subscription`],
    () => [random.pick(users), "POST", `${path}/issues/1/times`, { time: 60 }],
    () => [random.pick(users), "POST", `${path}/issues/1/stopwatch/start`],
    () => {
      const body = `${secret()} see ${other}#1, fixes ${other}#2, @${someone()}`;
      return [
        random.pick(users),
        "POST",
        `${path}/issues`,
        { title: secret(), body, assignees: [someone()] },
      ];
    },
    () => [random.pick(users), "POST", `${path}/issues/1/comments`, { body: `${secret()} ${first}#2` }],
    depends,
    () => [boss, "POST", `${path}/labels`, { name: secret(), color: "aabbcc" }],
    () => [random.pick(users), "PUT", `/user/block/${someone()}`],
    () => [random.pick(users), "PUT", `/user/unblock/${someone()}`],
  ];
  return random.pick(changes)();
}

/** A text that stands nowhere else, about this repository. */
function secretOf({ secrets, number }: World, id: number): string {
  const secret = `zq${number}y${secrets.size}x`;
  secrets.set(secret, id);
  return secret;
}

async function makeWorld(api: TestApi, random: Random, number: number): Promise<World> {
  const users: Caller[] = [];
  for (const name of ["alice", "bob", "carol", "dave"])
    users.push(await api.makeUser({ name: `${name}-${number}` }));
  const [alice, bob, carol, dave] = users as [Caller, Caller, Caller, Caller];
  const boss = await api.makeUser({ name: `boss-${number}`, isAdmin: true });
  const organization = `org-${number}`;
  await makeOrganization(api, alice, organization);
  const teams = [
    await makeTeam(api, alice, organization, "one", {
      permission: "write",
      units: ["repo.code", "repo.issues"],
    }),
    await makeTeam(api, alice, organization, "two"),
    await makeTeam(api, alice, organization, "three", {
      permission: "read",
      units_map: { "repo.issues": "read" },
      includes_all_repositories: true,
    }),
  ];
  for (const member of [carol, dave]) await join(api, alice, teams[2] as number, member);
  const secrets = new Map<string, number>();
  const repositories = new Map<string, number>();
  const world = { api, random, number, users, boss, organization, teams, repositories, secrets };
  for (const [as, to, isPrivate] of [
    [alice, `/orgs/${organization}/repos`, true],
    [alice, `/orgs/${organization}/repos`, false],
    [alice, "/user/repos", true],
    [bob, "/user/repos", false],
  ] as const) {
    const body = { name: `first-${repositories.size}`, private: isPrivate, auto_init: true };
    const { json } = await ask(api.app, as, to, "POST", body);
    const path = `/repos/${json.full_name}`;
    repositories.set(json.full_name, json.id);
    for (const title of [secretOf(world, json.id), secretOf(world, json.id)])
      await ask(api.app, as, `${path}/issues`, "POST", { title });
    // References to it by its first name reveal nothing of it.
    await ask(api.app, as, path, "PATCH", { name: secretOf(world, json.id) });
    for (const [forker, more] of [
      [carol, {}],
      [alice, { organization }],
    ] as const) {
      const fork = { name: `fork-${repositories.size}`, ...more };
      const forked = await ask(api.app, forker, `${path}/forks`, "POST", fork);
      if (forked.status === 202) repositories.set(forked.json.full_name, forked.json.id);
    }
  }
  return world;
}
