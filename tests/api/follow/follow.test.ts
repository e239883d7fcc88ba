import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBlock, removeBlock } from "#core/block/block";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { finishJobs } from "#tests/support/jobs";

let api: TestApi;
let admin: Caller;
let alice: Caller;
let bob: Caller;
let hidden: Caller;

beforeAll(async () => {
  api = await makeApi();
  admin = await api.makeUser({ name: "boss", isAdmin: true });
  alice = await api.makeUser({ name: "alice" });
  bob = await api.makeUser({ name: "bob" });
  hidden = await api.makeUser({ name: "hidden", visibility: "private" });
});
afterAll(() => api.stop());

const follow = (as: Caller | undefined, name: string) => api.call("PUT", `/user/following/${name}`, { as });
const unfollow = (as: Caller | undefined, name: string) =>
  api.call("DELETE", `/user/following/${name}`, { as });
const names = async (path: string, as: Caller | undefined = alice) => {
  const { json, headers } = await api.call("GET", path, { as });
  expect(headers.get("x-total-count")).toBe(String(json.length));
  return json.map(({ login }: { login: string }) => login);
};
const counts = async (name: string) => {
  const { json } = await api.call("GET", `/users/${name}`, { as: admin });
  return [json.followers_count, json.following_count];
};

describe("userCurrentPutFollow", () => {
  it("204: at once in the lists and counts of both, and again; oneself changes nothing", async () => {
    for (let times = 0; times < 2; times += 1) expect((await follow(alice, "BOB")).status).toBe(204);
    expect((await follow(alice, "alice")).status).toBe(204);
    expect([await counts("alice"), await counts("bob")]).toEqual([
      [0, 1],
      [1, 0],
    ]);
    expect(await names("/user/following")).toEqual(["bob"]);
    expect(await names("/user/followers", bob)).toEqual(["alice"]);
  });

  it("of several at the same time each counts once", async () => {
    await Promise.all([
      follow(bob, "alice"),
      follow(bob, "alice"),
      follow(admin, "alice"),
      follow(admin, "bob"),
    ]);
    expect([await counts("alice"), await counts("bob"), await counts("boss")]).toEqual([
      [2, 1],
      [2, 1],
      [0, 2],
    ]);
  });

  it("an edit of the profile meanwhile keeps the counts", async () => {
    await api.call("PATCH", "/user/settings", { as: alice, body: { location: "here" } });
    expect(await counts("alice")).toEqual([2, 1]);
  });

  it("403: who blocks the other, or is blocked; a block ends what was (semantics §3.6)", async () => {
    const [one, other] = [await api.makeUser({ name: "one" }), await api.makeUser({ name: "other" })];
    await follow(one, "other");
    await follow(other, "one");
    await createBlock(api.forge, one.user, other.user);
    expect([await counts("one"), await counts("other")]).toEqual([
      [0, 0],
      [0, 0],
    ]);
    expect([(await follow(one, "other")).status, (await follow(other, "one")).status]).toEqual([403, 403]);
    await removeBlock(api.forge, one.user.id, other.user.id);
    expect((await follow(other, "one")).status).toBe(204);
  });

  it("404: nobody, and whom the caller may not know; 401 anonymous", async () => {
    expect((await follow(alice, "nobody")).status).toBe(404);
    expect((await follow(alice, "hidden")).status).toBe(404);
    expect((await follow(alice, "ghost")).status).toBe(404);
    expect((await follow(undefined, "bob")).status).toBe(401);
  });

  it("a private user exists for users that they follow, in lists as by name, and for nobody else (semantics §3.4)", async () => {
    expect(await names("/users/bob/followers")).not.toContain("hidden");
    expect((await follow(hidden, "bob")).status).toBe(204);
    const status = async (as: Caller) => (await api.call("GET", "/users/hidden", { as })).status;
    expect([await status(bob), await status(alice)]).toEqual([200, 404]);
    expect(await names("/user/followers", bob)).toContain("hidden");
    expect(await names("/users/bob/followers")).not.toContain("hidden");
    const found = await api.call("GET", "/users/search?q=hidden", { as: bob });
    expect(found.json.data).toMatchObject([{ login: "hidden" }]);
    await api.call("POST", "/user/repos", { as: hidden, body: { name: "shown" } });
    const repository = async (as: Caller) => (await api.call("GET", "/repos/hidden/shown", { as })).status;
    expect([await repository(bob), await repository(alice)]).toEqual([200, 404]);
    await unfollow(hidden, "bob");
    expect([await status(bob), await repository(bob)]).toEqual([404, 404]);
  });
});

describe("userCurrentDeleteFollow", () => {
  it("204: gone at once at both ends, and again; 404 nobody; 401 anonymous", async () => {
    for (let times = 0; times < 2; times += 1) expect((await unfollow(admin, "bob")).status).toBe(204);
    expect([(await counts("bob"))[0], (await counts("boss"))[1]]).toEqual([1, 1]);
    expect((await unfollow(alice, "nobody")).status).toBe(404);
    expect((await unfollow(undefined, "bob")).status).toBe(401);
  });
});

describe("userCurrentCheckFollowing", () => {
  it("204 yes; 404 no; 401 anonymous (D-CHECK)", async () => {
    expect((await api.call("GET", "/user/following/bob", { as: alice })).status).toBe(204);
    const { status, text } = await api.call("GET", "/user/following/boss", { as: alice });
    expect([status, text]).toEqual([404, ""]);
    expect((await api.call("GET", "/user/following/bob")).status).toBe(401);
  });
});

describe("userCheckFollowing", () => {
  it("204 yes; 404 no, and for names of nobody; 401 anonymous", async () => {
    const check = async (path: string, as?: Caller) => (await api.call("GET", path, { as })).status;
    expect(await check("/users/alice/following/BOB", admin)).toBe(204);
    expect(await check("/users/alice/following/boss", admin)).toBe(404);
    expect(await check("/users/alice/following/nobody", admin)).toBe(404);
    expect(await check("/users/nobody/following/bob", admin)).toBe(404);
    expect(await check("/users/alice/following/bob")).toBe(401);
  });
});

describe("userCurrentListFollowers", () => {
  it("200: by name, in pages; 401 anonymous", async () => {
    expect(await names("/user/followers", alice)).toEqual(["bob", "boss"]);
    const second = await api.call("GET", "/user/followers?limit=1&page=2", { as: alice });
    expect([second.json[0].login, second.headers.get("x-total-count")]).toEqual(["boss", "2"]);
    expect((await api.call("GET", "/user/followers")).status).toBe(401);
  });
});

describe("userCurrentListFollowing", () => {
  it("200; 401 anonymous", async () => {
    expect(await names("/user/following", bob)).toEqual(["alice"]);
    expect((await api.call("GET", "/user/following")).status).toBe(401);
  });
});

describe("userListFollowers", () => {
  it("200; 404 nobody; 401 anonymous", async () => {
    expect(await names("/users/alice/followers", bob)).toEqual(["bob", "boss"]);
    expect((await api.call("GET", "/users/nobody/followers", { as: bob })).status).toBe(404);
    expect((await api.call("GET", "/users/alice/followers")).status).toBe(401);
  });
});

describe("userListFollowing", () => {
  it("200; 404 nobody; 401 anonymous; a deleted user neither follows nor is followed", async () => {
    expect(await names("/users/alice/following", bob)).toEqual(["bob"]);
    const leaver = await api.makeUser({ name: "leaver" });
    await follow(leaver, "alice");
    await follow(alice, "leaver");
    expect((await api.call("DELETE", "/admin/users/leaver", { as: admin })).status).toBe(204);
    expect(await names("/users/alice/following", bob)).toEqual(["bob"]);
    await finishJobs(api);
    expect(await counts("alice")).toEqual([2, 1]);
    expect((await api.call("GET", "/users/nobody/following", { as: bob })).status).toBe(404);
    expect((await api.call("GET", "/users/alice/following")).status).toBe(401);
  });
});
