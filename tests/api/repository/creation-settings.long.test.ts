import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ApiAnswer, type Caller, makeApi, type TestApi } from "#tests/support/api";
import { pushFiles } from "#tests/support/code";
import { findingsAtRest } from "#tests/support/findings";
import { finishJobs } from "#tests/support/jobs";
import { makeOrganization, namesIn } from "../organization/make.ts";

let api: TestApi;
let alice: Caller;
let bob: Caller;
let boss: Caller;
let made = 0;
/** Of alice's: a template with a file, of a name that nobody else uses. */
let name = "";

/** alice, bob, the administrator boss, and alice's organization acme. */
async function start(settings: Record<string, string>): Promise<void> {
  api = await makeApi({ settings });
  alice = await api.makeUser({ name: "alice" });
  bob = await api.makeUser({ name: "bob" });
  boss = await api.makeUser({ name: "boss", isAdmin: true });
  await makeOrganization(api, alice, "acme");
}

async function makeTemplate(as: Caller): Promise<void> {
  made += 1;
  name = `tool-${made}`;
  const body = { name, template: true };
  const answer = await api.call("POST", `/admin/users/${as.name}/repos`, { as: boss, body });
  expect(answer.status).toBe(201);
  await pushFiles(api, as, name, { files: { "a.txt": "a\n" } });
}

async function expectWhole(): Promise<void> {
  await finishJobs(api);
  expect(await findingsAtRest(api)).toEqual([]);
}

const create = (as: Caller, called: string) =>
  api.call("POST", "/user/repos", { as, body: { name: called } });
const fork = (as: Caller, body: object = {}) => api.call("POST", `/repos/alice/${name}/forks`, { as, body });
const generate = (as: Caller, body: object = {}) =>
  api.call("POST", `/repos/alice/${name}/generate`, {
    as,
    body: { owner: as.name, name: `${name}-of-${as.name}`, git_content: true, ...body },
  });
const transfer = (as: Caller, new_owner: string) =>
  api.call("POST", `/repos/alice/${name}/transfer`, { as, body: { new_owner } });
const accept = (as: Caller) => api.call("POST", `/repos/alice/${name}/transfer/accept`, { as });
const read = (path: string, as?: Caller) => api.call("GET", `/repos/${path}`, { as });
const edit = (path: string, as: Caller, body: object) => api.call("PATCH", `/repos/${path}`, { as, body });
const ownedBy = async (owner: string) => namesIn(await api.call("GET", `/users/${owner}/repos`));
const message = ({ status, json }: ApiAnswer) => [status, json.message];

describe("the creation limit (MAX_CREATION_LIMIT 1; alice's own max_repo_creation is 20)", () => {
  const full = "the owner may have at most 1 repositories";

  beforeAll(async () => {
    await start({ MAX_CREATION_LIMIT: "1" });
    const set = await api.call("PATCH", "/admin/users/alice", { as: boss, body: { max_repo_creation: 20 } });
    expect(set.status).toBe(200);
    expect((await create(bob, "only")).status).toBe(201);
    const body = { name: "only" };
    expect((await api.call("POST", "/orgs/acme/repos", { as: alice, body })).status).toBe(201);
  });
  beforeEach(() => makeTemplate(alice));
  afterAll(() => api.stop());

  it("createFork 409: reached by the user who forks, or by the organization; nothing is left of it (semantics §24.4)", async () => {
    const { id } = (await read(`alice/${name}`)).json;
    expect((await fork(bob)).status).toBe(409);
    expect((await fork(alice, { organization: "acme" })).status).toBe(409);
    expect((await read(`alice/${name}`)).json).toMatchObject({ id, forks_count: 0 });
    expect((await api.call("GET", `/repos/alice/${name}/forks`)).json).toEqual([]);
    expect([await ownedBy("bob"), await ownedBy("acme")]).toEqual([["bob/only"], ["acme/only"]]);
    await expectWhole();
  });

  it("generateRepo 422: reached by the owner, whether a user or an organization (semantics §24.1)", async () => {
    expect(message(await generate(bob))).toEqual([422, full]);
    expect(message(await generate(alice, { owner: "acme" }))).toEqual([422, full]);
    expect([await ownedBy("bob"), await ownedBy("acme")]).toEqual([["bob/only"], ["acme/only"]]);
  });

  it("repoTransfer 422: at once for recipients who may have no more; it stays where it is (semantics §24.6)", async () => {
    expect(message(await transfer(alice, "acme"))).toEqual([422, full]);
    expect((await read(`alice/${name}`)).json).toMatchObject({
      repo_transfer: null,
      owner: { login: "alice" },
    });
    await expectWhole();
  });

  it("acceptRepoTransfer 422: the recipient may have no more; it goes on waiting until there is room", async () => {
    expect((await transfer(alice, "bob")).status).toBe(201);
    expect(message(await accept(bob))).toEqual([422, full]);
    const { json } = await read(`alice/${name}`);
    expect([json.owner.login, json.repo_transfer.recipient.login]).toEqual(["alice", "bob"]);
    expect((await api.call("DELETE", "/repos/bob/only", { as: bob })).status).toBe(204);
    expect((await accept(bob)).status).toBe(202);
    expect(await ownedBy("bob")).toEqual([`bob/${name}`]);
    expect(message(await create(bob, "second"))).toEqual([422, full]);
    expect((await api.call("DELETE", `/repos/bob/${name}`, { as: bob })).status).toBe(204);
    expect((await create(bob, "only")).status).toBe(201);
  });

  it("201, 202: site administrators are exempt in all of them", async () => {
    expect((await create(boss, `first-${made}`)).status).toBe(201);
    expect((await fork(boss)).status).toBe(202);
    expect((await generate(boss)).status).toBe(201);
    expect((await transfer(boss, "bob")).status).toBe(202);
    expect((await api.call("DELETE", `/repos/bob/${name}`, { as: boss })).status).toBe(204);
  });

  it("max_repo_creation of a user goes before the setting: 0 allows none, -1 as many as the site allows (D-500)", async () => {
    const dora = await api.makeUser();
    const limit = (max_repo_creation: number) =>
      api.call("PATCH", `/admin/users/${dora.name}`, { as: boss, body: { max_repo_creation } });
    await limit(0);
    expect(message(await create(dora, "a"))).toEqual([422, "the owner may have at most 0 repositories"]);
    expect([(await fork(dora)).status, (await generate(dora)).status]).toEqual([409, 422]);
    await limit(2);
    expect([(await create(dora, "a")).status, (await fork(dora)).status]).toEqual([201, 202]);
    expect((await generate(dora)).status).toBe(422);
    await limit(-1);
    expect(message(await generate(dora))).toEqual([422, full]);
  });
});

describe("FORCE_PRIVATE", () => {
  beforeAll(() => start({ FORCE_PRIVATE: "true" }));
  /** One that an administrator has made public, which only they can. */
  beforeEach(async () => {
    await makeTemplate(alice);
    expect((await edit(`alice/${name}`, boss, { private: false })).json.private).toBe(false);
  });
  afterAll(() => api.stop());

  it("generateRepo 201: private, whatever is asked for (semantics §24.1)", async () => {
    const { status, json } = await generate(bob, { private: false });
    expect([status, json.private]).toEqual([201, true]);
    expect((await read(json.full_name)).status).toBe(404);
  });

  it("createFork 202: private though its source is public (semantics §24.1, §24.4)", async () => {
    expect((await fork(bob)).json).toMatchObject({ private: true, parent: { private: false } });
    expect((await read(`bob/${name}`, alice)).status).toBe(404);
    expect((await read(`alice/${name}`)).json.forks_count).toBe(1);
    await expectWhole();
  });

  it("repoEdit of such a fork: 200 and private for callers who want it so; 422: only administrators publish it", async () => {
    await fork(bob);
    const { status, json } = await edit(`bob/${name}`, bob, { private: true, description: "mine" });
    expect([status, json.private, json.description]).toEqual([200, true, "mine"]);
    expect((await edit(`bob/${name}`, boss, { private: true })).json.private).toBe(true);
    expect((await edit(`bob/${name}`, bob, { private: false })).status).toBe(422);
    expect((await read(`bob/${name}`)).status).toBe(404);
    expect((await edit(`bob/${name}`, boss, { private: false })).json.private).toBe(false);
    expect((await read(`bob/${name}`)).status).toBe(200);
  });

  it("such a fork stays private when its source changes hands, or is hidden and published again", async () => {
    await fork(bob);
    expect((await transfer(boss, "acme")).status).toBe(202);
    await finishJobs(api);
    expect((await read(`bob/${name}`)).status).toBe(404);
    await edit(`acme/${name}`, alice, { private: true });
    await edit(`acme/${name}`, boss, { private: false });
    await finishJobs(api);
    expect((await read(`acme/${name}`)).status).toBe(200);
    expect((await read(`bob/${name}`)).status).toBe(404);
    await expectWhole();
  });
});

describe("AUTO_WATCH_NEW_REPOS=false", () => {
  beforeAll(() => start({ AUTO_WATCH_NEW_REPOS: "false" }));
  beforeEach(() => makeTemplate(alice));
  afterAll(() => api.stop());

  it("nobody watches what is created, generated or forked, in an organization or not (semantics §24.1)", async () => {
    expect((await api.call("POST", "/orgs/acme/repos", { as: alice, body: { name } })).status).toBe(201);
    expect((await generate(bob)).status).toBe(201);
    expect((await fork(bob)).status).toBe(202);
    for (const path of [`alice/${name}`, `acme/${name}`, `bob/${name}-of-bob`, `bob/${name}`]) {
      expect((await read(path)).json.watchers_count, path).toBe(0);
      expect((await api.call("GET", `/repos/${path}/subscribers`)).json, path).toEqual([]);
    }
    expect((await api.call("GET", `/repos/bob/${name}/subscription`, { as: bob })).status).toBe(404);
    expect((await api.call("GET", "/user/subscriptions", { as: bob })).json).toEqual([]);
  });
});

describe("AUTO_WATCH_NEW_REPOS as it is by default", () => {
  beforeAll(() => start({}));
  beforeEach(() => makeTemplate(alice));
  afterAll(() => api.stop());

  it("the owner watches what is created, generated or forked; in an organization who made it (semantics §24.1)", async () => {
    expect((await api.call("POST", "/orgs/acme/repos", { as: alice, body: { name } })).status).toBe(201);
    expect((await generate(bob)).status).toBe(201);
    expect((await fork(bob)).status).toBe(202);
    const watched = {
      ...{ [`alice/${name}`]: "alice", [`acme/${name}`]: "alice" },
      ...{ [`bob/${name}-of-bob`]: "bob", [`bob/${name}`]: "bob" },
    };
    for (const [path, watcher] of Object.entries(watched)) {
      expect((await read(path)).json.watchers_count, path).toBe(1);
      expect(namesIn(await api.call("GET", `/repos/${path}/subscribers`)), path).toEqual([watcher]);
    }
    await expectWhole();
  });
});
