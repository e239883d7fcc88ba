import { expect } from "vitest";
import { createApi } from "#functions/api/app";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { checkContract } from "#tests/support/contract/contract";
import { createRandom, type Random } from "#tests/support/random";
import { makeOrganization, makeTeam } from "./organization/make.ts";

/** The lists that are read while everything changes. */
interface World {
  readonly api: TestApi;
  readonly random: Random;
  readonly users: readonly Caller[];
  /** A site administrator, who sees all. */
  readonly boss: Caller;
  readonly teams: readonly number[];
  readonly labels: number[];
}

/** One change: a request to the API. The path is of a random repository (`repo`) or issue (`issue`). */
interface Change {
  readonly method: string;
  readonly path: (at: Place) => string;
  readonly body?: (world: World) => object;
}

/** Full names of a repository and of one of its issues. */
interface Place {
  readonly repo: string;
  readonly issue: string;
  readonly world: World;
}

const repo = ({ repo }: Place) => `/repos/${repo}`;
const issue = ({ issue }: Place) => `/repos/${issue}`;
const text = ({ random }: World) => `words ${random.integer(1e6)}`;
const name = ({ random }: World) => random.pick(["alice", "bob", "carol"]);
const picture =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Every verb that changes what a page of repositories or issues shows, or who may see it. */
const changes: Readonly<Record<string, Change>> = {
  description: {
    method: "PATCH",
    path: repo,
    body: (w) => ({ description: text(w), website: "https://a.test" }),
  },
  visibility: { method: "PATCH", path: repo, body: ({ random }) => ({ private: random.chance(0.5) }) },
  rename: { method: "PATCH", path: repo, body: ({ random }) => ({ name: `named-${random.integer(30)}` }) },
  archive: { method: "PATCH", path: repo, body: ({ random }) => ({ archived: random.chance(0.3) }) },
  units: { method: "PATCH", path: repo, body: ({ random }) => ({ has_issues: random.chance(0.8) }) },
  template: { method: "PATCH", path: repo, body: ({ random }) => ({ template: random.chance(0.5) }) },
  topics: {
    method: "PUT",
    path: (at) => `${repo(at)}/topics`,
    body: ({ random }) => ({ topics: random.some(["a", "b", "c"], 3) }),
  },
  avatar: { method: "POST", path: (at) => `${repo(at)}/avatar`, body: () => ({ image: picture }) },
  noAvatar: { method: "DELETE", path: (at) => `${repo(at)}/avatar` },
  file: {
    method: "POST",
    path: (at) => `${repo(at)}/contents/${at.world.random.integer(1e6)}.txt`,
    body: () => ({ content: "d29yZHM=" }),
  },
  star: { method: "PUT", path: (at) => `/user/starred/${at.repo}` },
  watch: { method: "PUT", path: (at) => `${repo(at)}/subscription` },
  collaborator: {
    method: "PUT",
    path: (at) => `${repo(at)}/collaborators/${name(at.world)}`,
    body: ({ random }) => ({ permission: random.pick(["read", "write", "admin"]) }),
  },
  noCollaborator: { method: "DELETE", path: (at) => `${repo(at)}/collaborators/${name(at.world)}` },
  team: { method: "PUT", path: (at) => `/teams/${at.world.random.pick(at.world.teams)}/repos/${at.repo}` },
  noTeam: {
    method: "DELETE",
    path: (at) => `/teams/${at.world.random.pick(at.world.teams)}/repos/${at.repo}`,
  },
  member: {
    method: "PUT",
    path: ({ world }) => `/teams/${world.random.pick(world.teams)}/members/${name(world)}`,
  },
  noMember: {
    method: "DELETE",
    path: ({ world }) => `/teams/${world.random.pick(world.teams)}/members/${name(world)}`,
  },
  transfer: {
    method: "POST",
    path: (at) => `${repo(at)}/transfer`,
    body: ({ random }) => ({ new_owner: random.pick(["alice", "bob", "carol", "acme"]) }),
  },
  accept: { method: "POST", path: (at) => `${repo(at)}/transfer/accept` },
  fork: {
    method: "POST",
    path: (at) => `${repo(at)}/forks`,
    body: ({ random }) => ({ name: `fork-${random.integer(30)}` }),
  },
  newRepository: {
    method: "POST",
    path: () => "/user/repos",
    body: ({ random }) => ({ name: `new-${random.integer(30)}` }),
  },
  noRepository: { method: "DELETE", path: repo },
  owner: {
    method: "PATCH",
    path: () => "/user/settings",
    body: (w) => ({ full_name: text(w), hide_activity: w.random.chance(0.5) }),
  },
  hiddenOwner: {
    method: "PATCH",
    path: ({ world }) => `/admin/users/${name(world)}`,
    body: ({ random }) => ({ visibility: random.pick(["public", "public", "limited", "private"]) }),
  },
  newIssue: { method: "POST", path: (at) => `${repo(at)}/issues`, body: (w) => ({ title: text(w) }) },
  title: { method: "PATCH", path: issue, body: (w) => ({ title: text(w), body: text(w) }) },
  state: { method: "PATCH", path: issue, body: ({ random }) => ({ state: random.pick(["open", "closed"]) }) },
  assignees: {
    method: "PATCH",
    path: issue,
    body: ({ random }) => ({ assignees: random.some(["alice", "bob"], 2) }),
  },
  deadline: {
    method: "POST",
    path: (at) => `${issue(at)}/deadline`,
    body: () => ({ due_date: "2030-01-01T00:00:00Z" }),
  },
  labels: {
    method: "PUT",
    path: (at) => `${issue(at)}/labels`,
    body: ({ random, labels }) => ({ labels: random.some(labels, 2) }),
  },
  label: {
    method: "PATCH",
    path: (at) => `${repo(at)}/labels/${at.world.random.pick(at.world.labels)}`,
    body: (w) => ({ name: text(w) }),
  },
  pin: { method: "POST", path: (at) => `${issue(at)}/pin` },
  noPin: { method: "DELETE", path: (at) => `${issue(at)}/pin` },
  movePin: { method: "PATCH", path: (at) => `${issue(at)}/pin/1` },
  lock: { method: "PUT", path: (at) => `${issue(at)}/lock`, body: () => ({ lock_reason: "spam" }) },
  unlock: { method: "DELETE", path: (at) => `${issue(at)}/lock` },
  comment: {
    method: "POST",
    path: (at) => `${issue(at)}/comments`,
    body: (w) => ({ body: `${text(w)} #1` }),
  },
  reaction: { method: "POST", path: (at) => `${issue(at)}/reactions`, body: () => ({ content: "heart" }) },
  noIssue: { method: "DELETE", path: issue },
};

const pages = [
  "/repos/search?limit=50",
  "/repos/search?limit=50&sort=updated&order=desc&q=n",
  "/user/repos?limit=50",
  "/user/repos?limit=50&order_by=size",
  "/orgs/acme/repos?limit=50",
  "/repos/issues/search?limit=50&state=all",
  "issues?limit=50&state=all",
  "issues?limit=50&state=open&sort=recentupdate",
];

/**
 * Changes random things with all of the verbs, and after each compares pages of a process that has seen all of it with
 * those of one that has just begun. Answers how often each verb went through.
 */
export async function changeAndCompare(steps: number): Promise<ReadonlyMap<string, number>> {
  const api = await makeApi();
  try {
    const world = await start(api);
    const done = new Map(Object.keys(changes).map((verb) => [verb, 0]));
    const verbs = Object.keys(changes);
    for (let step = 0; step < steps; step += 1) {
      const place = await somewhere(world);
      const verb = verbs[step % verbs.length] as string;
      if (await apply(world, place, changes[verb] as Change)) done.set(verb, (done.get(verb) ?? 0) + 1);
      await compare(world, place, `SEED=${world.random.seed}, step ${step}, after ${verb} on ${place.issue}`);
    }
    return done;
  } finally {
    await api.stop();
  }
}

async function start(api: TestApi): Promise<World> {
  const users = [];
  for (const one of ["alice", "bob", "carol"]) users.push(await api.makeUser({ name: one }));
  const boss = await api.makeUser({ name: "boss", isAdmin: true });
  const alice = users[0] as Caller;
  await makeOrganization(api, alice, "acme");
  const teams = [await makeTeam(api, alice, "acme", "one"), await makeTeam(api, alice, "acme", "two")];
  const labels: number[] = [];
  for (const path of ["/user/repos", "/user/repos", "/orgs/acme/repos", "/orgs/acme/repos"]) {
    const body = { name: `first-${labels.length}`, private: labels.length > 2, auto_init: true };
    const { full_name } = (await api.call("POST", path, { as: alice, body })).json;
    for (const title of ["one", "two", "three"])
      await api.call("POST", `/repos/${full_name}/issues`, { as: alice, body: { title } });
    const label = { name: "one", color: "aabbcc" };
    labels.push((await api.call("POST", `/repos/${full_name}/labels`, { as: alice, body: label })).json.id);
  }
  return { api, random: createRandom(), users, boss, teams, labels };
}

/** A repository and an issue that are there. */
async function somewhere(world: World): Promise<Place> {
  const { api, random, boss } = world;
  const all = (await api.call("GET", "/repos/search?limit=50", { as: boss })).json.data;
  const { full_name } = random.pick<{ full_name: string }>(all);
  return { repo: full_name, issue: `${full_name}/issues/${1 + random.integer(3)}`, world };
}

/** Somebody tries, mostly with the right; false when it was refused. */
async function apply(world: World, place: Place, { method, path, body }: Change): Promise<boolean> {
  const { api, random, boss, users } = world;
  const to = path(place);
  const own = to.startsWith("/user") || to.endsWith("/forks") || to.endsWith("/accept");
  const as = own || random.chance(0.2) ? random.pick(users) : boss;
  const { status, text } = await api.call(method, to, { as, ...(body && { body: body(world) }) });
  expect(status, `${method} ${to}: ${text}`).toBeLessThan(500);
  return status < 300;
}

async function compare({ api, random, users, boss }: World, { repo }: Place, said: string): Promise<void> {
  const { forge } = api;
  const fresh = createApi({ forge: { ...forge, table: { ...forge.table } }, observe: checkContract });
  for (const page of random.some(pages, 3)) {
    const as = random.chance(0.2) ? undefined : random.pick([boss, ...users]);
    const path = page.startsWith("/") ? page : `/repos/${repo}/${page}`;
    const known = await api.call("GET", path, { as });
    const headers = as === undefined ? {} : { authorization: `token ${as.token}` };
    const other = await fresh.request(`/api/v1${path}`, { headers });
    expect(known.text, `${said}: ${path} as ${as?.name}`).toBe(await other.text());
    expect(known.headers.get("x-total-count"), said).toBe(other.headers.get("x-total-count"));
  }
}
