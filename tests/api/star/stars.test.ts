import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBlock, removeBlock } from "#core/block/block";
import { checkTable } from "#core/lifecycle/check/check";
import type { Finding } from "#core/lifecycle/check/finding";
import { noteRepositoryActivity } from "#core/repository/listing/index-writes";
import { starsAndWatchesOfUser } from "#core/star-watch/star-watch.table";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { finishJobs } from "#tests/support/jobs";
import { namesIn } from "../organization/make.ts";

let api: TestApi;
let alice: Caller;
let bob: Caller;
let eve: Caller;
let boss: Caller;
let quiet: Caller;

beforeAll(async () => {
  api = await makeApi();
  [alice, bob, eve, boss, quiet] = [
    await api.makeUser({ name: "alice" }),
    await api.makeUser({ name: "bob" }),
    await api.makeUser({ name: "eve" }),
    await api.makeUser({ name: "boss", isAdmin: true }),
    await api.makeUser({ name: "quiet", visibility: "private" }),
  ];
});
afterAll(() => api.stop());

async function make(as: Caller, name: string, more: object = {}): Promise<number> {
  const { status, json } = await api.call("POST", "/user/repos", { as, body: { name, ...more } });
  expect(status).toBe(201);
  return json.id;
}
const star = (as: Caller | undefined, path: string) => api.call("PUT", `/user/starred/${path}`, { as });
const unstar = (as: Caller | undefined, path: string) => api.call("DELETE", `/user/starred/${path}`, { as });
const check = async (as: Caller, path: string) =>
  (await api.call("GET", `/user/starred/${path}`, { as })).status;
const get = async (path: string, as: Caller = boss) => (await api.call("GET", path, { as })).json;
const counts = async (path: string) => {
  const { stars_count, watchers_count } = await get(`/repos/${path}`);
  return [stars_count, watchers_count];
};
async function names(path: string, as: Caller | undefined = bob): Promise<string[]> {
  const answer = await api.call("GET", path, { as });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("x-total-count")).toBe(String(answer.json.length));
  return namesIn(answer);
}
async function findings(): Promise<Finding[]> {
  const found: Finding[] = [];
  for await (const finding of checkTable(api.forge)) found.push(finding);
  return found;
}

describe(["userCurrentPutStar", "userCurrentCheckStarring", "userCurrentDeleteStar"].join(", "), () => {
  it("204: once and again counts one star, and so does taking it away (semantics §42)", async () => {
    await make(alice, "one");
    expect(await check(bob, "alice/one")).toBe(404);
    for (let times = 0; times < 2; times += 1) expect((await star(bob, "alice/ONE")).status).toBe(204);
    expect(await check(bob, "alice/one")).toBe(204);
    expect(await counts("alice/one")).toEqual([1, 1]);
    for (let times = 0; times < 2; times += 1) expect((await unstar(bob, "alice/one")).status).toBe(204);
    expect(await check(bob, "alice/one")).toBe(404);
    expect(await counts("alice/one")).toEqual([0, 1]);
  });

  it("of many at the same time each counts once, whatever each does twice", async () => {
    await make(alice, "raced");
    const all = [alice, bob, eve, boss, quiet];
    await Promise.all([...all, ...all].map((one) => star(one, "alice/raced")));
    expect(await counts("alice/raced")).toEqual([5, 1]);
    await Promise.all([bob, bob, eve, eve].map((one) => unstar(one, "alice/raced")));
    expect(await counts("alice/raced")).toEqual([3, 1]);
    expect(await findings()).toEqual([]);
  });

  it("404 what the caller may not see; 401 anonymous; 403 without the scope", async () => {
    await make(alice, "secret", { private: true });
    expect((await star(bob, "alice/secret")).status).toBe(404);
    expect((await star(bob, "alice/nothing")).status).toBe(404);
    expect((await star(undefined, "alice/one")).status).toBe(401);
    const token = await api.makeToken(bob, ["write:user"]);
    expect((await star({ ...bob, token }, "alice/one")).status).toBe(403);
  });

  it("403 while one blocks the other; a block ends what was there, and can be lifted", async () => {
    await make(alice, "blocked");
    await star(eve, "alice/blocked");
    await api.call("PUT", "/repos/alice/blocked/subscription", { as: eve });
    expect(await counts("alice/blocked")).toEqual([1, 2]);
    await createBlock(api.forge, alice.user, eve.user);
    expect((await star(eve, "alice/one")).status).toBe(403);
    expect((await api.call("PUT", "/repos/alice/one/subscription", { as: eve })).status).toBe(403);
    await finishJobs(api);
    expect(await counts("alice/blocked")).toEqual([0, 1]);
    await removeBlock(api.forge, alice.user.id, eve.user.id);
    expect((await star(eve, "alice/blocked")).status).toBe(204);
  });
});

describe(["userCurrentListStarred", "userListStarred", "repoListStargazers"].join(", "), () => {
  it("200: newest first; of others' the private ones are missing; lost ones too", async () => {
    await make(alice, "shared", { private: true });
    await api.call("PUT", "/repos/alice/shared/collaborators/bob", { as: alice, body: {} });
    for (const path of ["alice/one", "alice/shared", "alice/raced"]) {
      api.clock.advance(1_000);
      expect((await star(bob, path)).status).toBe(204);
    }
    expect(await names("/user/starred")).toEqual(["alice/raced", "alice/shared", "alice/one"]);
    expect(await names("/users/bob/starred")).toEqual(["alice/raced", "alice/shared", "alice/one"]);
    expect(await names("/users/bob/starred", alice)).toEqual(["alice/raced", "alice/one"]);
    expect(await names(`/repos/search?starredBy=${bob.user.id}`, eve).catch(() => [])).toEqual([]);
    const { json } = await api.call("GET", `/repos/search?starredBy=${bob.user.id}&sort=id`, { as: eve });
    expect(json.data.map((one: { name: string }) => one.name)).toEqual(["one", "raced"]);
    await api.call("DELETE", "/repos/alice/shared/collaborators/bob", { as: alice });
    expect(await names("/user/starred")).toEqual(["alice/raced", "alice/one"]);
    expect(await counts("alice/shared")).toEqual([0, 1]);
    const paged = await api.call("GET", "/user/starred?limit=1&page=2", { as: bob });
    expect([namesIn(paged), paged.headers.get("x-total-count")]).toEqual([["alice/one"], "2"]);
    expect((await api.call("GET", "/users/quiet/starred", { as: bob })).status).toBe(404);
    expect((await api.call("GET", "/user/starred", {})).status).toBe(401);
  });

  it("200: stargazers, the first one first, but whom the caller may not know", async () => {
    await make(alice, "seen");
    for (const who of [eve, quiet, bob]) {
      api.clock.advance(1_000);
      await star(who, "alice/seen");
    }
    expect(await names("/repos/alice/seen/stargazers")).toEqual(["eve", "bob"]);
    expect(await names("/repos/alice/seen/stargazers", boss)).toEqual(["eve", "quiet", "bob"]);
    expect((await api.call("GET", "/repos/alice/secret/stargazers", { as: bob })).status).toBe(404);
  });

  it("the worker brings the number of stars to where searches sort by it", async () => {
    const id = (await get("/repos/alice/seen")).id;
    await noteRepositoryActivity(api.forge, id);
    const { json } = await api.call("GET", "/repos/search?sort=stars&order=desc&limit=1", { as: bob });
    expect(json.data[0].full_name).toBe("alice/seen");
  });
});

describe("the end of stars and watches", () => {
  it("a repository that becomes private keeps those of users who may see it", async () => {
    await make(alice, "closing");
    await api.call("PUT", "/repos/alice/closing/collaborators/bob", { as: alice, body: {} });
    for (const who of [bob, eve]) {
      await star(who, "alice/closing");
      await api.call("PUT", "/repos/alice/closing/subscription", { as: who });
    }
    expect(await counts("alice/closing")).toEqual([2, 3]);
    await api.call("PATCH", "/repos/alice/closing", { as: alice, body: { private: true } });
    expect(await names("/user/starred", eve)).not.toContain("alice/closing");
    await finishJobs(api);
    expect(await counts("alice/closing")).toEqual([1, 2]);
  });

  it("with the repository, and with the account: nothing is left of them", async () => {
    await make(alice, "going");
    const fan = await api.makeUser({ name: "fan" });
    for (const path of ["alice/going", "alice/one"]) {
      await star(fan, path);
      await api.call("PUT", `/repos/${path}/subscription`, { as: fan });
    }
    await api.call("DELETE", "/repos/alice/going", { as: alice });
    expect(await names("/user/starred", fan)).toEqual(["alice/one"]);
    await finishJobs(api);
    expect(await api.forge.table.queryAll(starsAndWatchesOfUser("star", fan.user.id))).toHaveLength(1);
    expect(await counts("alice/one")).toEqual([2, 2]);
    expect((await api.call("DELETE", "/admin/users/fan", { as: boss })).status).toBe(204);
    await finishJobs(api);
    expect(await counts("alice/one")).toEqual([1, 1]);
    expect(await findings()).toEqual([]);
  });

  it("404 for all of it where the instance has no stars (DISABLE_STARS)", async () => {
    const plain = await makeApi({ settings: { DISABLE_STARS: "true" } });
    try {
      const as = await plain.makeUser({ name: "dora" });
      await plain.call("POST", "/user/repos", { as, body: { name: "one" } });
      const asked: [string, string][] = [
        ["GET", "/user/starred"],
        ["GET", "/user/starred/dora/one"],
        ["PUT", "/user/starred/dora/one"],
        ["DELETE", "/user/starred/dora/one"],
        ["GET", "/users/dora/starred"],
        ["GET", "/repos/dora/one/stargazers"],
      ];
      for (const [method, path] of asked) {
        expect((await plain.call(method, path, { as })).status, path).toBe(404);
      }
    } finally {
      await plain.stop();
    }
  });
});

describe(
  ["userCurrentPutSubscription", "userCurrentCheckSubscription", "userCurrentDeleteSubscription"].join(", "),
  () => {
    it("404, then 200 with the same body twice, then 204 and 404 (NS-7, semantics §24.8)", async () => {
      const path = "/repos/alice/one/subscription";
      expect((await api.call("GET", path, { as: bob })).status).toBe(404);
      const repository = await get("/repos/alice/one");
      const info = {
        ...{ subscribed: true, ignored: false, reason: null, created_at: repository.created_at },
        ...{ url: `${repository.url}/subscription`, repository_url: repository.url },
      };
      for (const method of ["PUT", "PUT", "GET"]) {
        const { status, json } = await api.call(method, path, { as: bob });
        expect([status, json]).toEqual([200, info]);
      }
      expect((await counts("alice/one"))[1]).toBe(2);
      for (let times = 0; times < 2; times += 1) {
        expect((await api.call("DELETE", path, { as: bob })).status).toBe(204);
      }
      expect((await api.call("GET", path, { as: bob })).text).toBe("");
      expect((await counts("alice/one"))[1]).toBe(1);
    });

    it("401 without a token (AUTH-7), 404 for what is hidden", async () => {
      for (const method of ["GET", "PUT", "DELETE"]) {
        expect((await api.call(method, "/repos/alice/one/subscription")).status).toBe(401);
        expect((await api.call(method, "/repos/alice/secret/subscription", { as: bob })).status).toBe(404);
      }
    });
  },
);

describe(["repoListSubscribers", "userCurrentListSubscriptions", "userListSubscriptions"].join(", "), () => {
  it("200: who made a repository watches it, of an organization the maker", async () => {
    await make(eve, "mine");
    await api.call("POST", "/orgs", { as: eve, body: { username: "guild" } });
    await api.call("POST", "/orgs/guild/repos", { as: eve, body: { name: "hall", private: true } });
    expect(await names("/repos/eve/mine/subscribers")).toEqual(["eve"]);
    expect(await names("/repos/guild/hall/subscribers", eve)).toEqual(["eve"]);
    expect(await names("/user/subscriptions", eve)).toEqual(["guild/hall", "eve/mine"]);
    expect(await names("/users/eve/subscriptions", bob)).toEqual(["eve/mine"]);
    expect((await api.call("GET", "/users/eve/subscriptions")).status).toBe(401);
  });

  it("an automatic watch that was ended never comes back by itself, one that was asked for does again", async () => {
    const { id } = await get("/repos/eve/mine");
    await api.call("DELETE", "/repos/eve/mine/subscription", { as: eve });
    const watching = { ...api.forge, config: { ...api.forge.config, autoWatchOnChanges: true } };
    const { watchByItself } = await import("#core/watch/watch");
    await watchByItself(watching, id, eve.user.id);
    expect(await names("/repos/eve/mine/subscribers")).toEqual([]);
    await api.call("PUT", "/repos/eve/mine/subscription", { as: eve });
    await api.call("DELETE", "/repos/eve/mine/subscription", { as: eve });
    await watchByItself(watching, id, eve.user.id);
    expect(await names("/repos/eve/mine/subscribers")).toEqual(["eve"]);
    await watchByItself(api.forge, id, bob.user.id);
    expect(await names("/repos/eve/mine/subscribers")).toEqual(["eve"]);
  });

  it("the former owner no longer watches after a transfer; other watchers stay", async () => {
    await make(alice, "given");
    await api.call("PUT", "/repos/alice/given/subscription", { as: eve });
    const body = { new_owner: "bob" };
    expect((await api.call("POST", "/repos/alice/given/transfer", { as: boss, body })).status).toBe(202);
    await finishJobs(api);
    expect(await names("/repos/bob/given/subscribers")).toEqual(["eve"]);
    expect(await findings()).toEqual([]);
  });
});
