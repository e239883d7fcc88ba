import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createUser } from "#core/user/create";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { tableRequests } from "./costs.ts";

let api: TestApi;
let alice: Caller;
let bob: Caller;
let boss: Caller;

beforeAll(async () => {
  api = await makeApi();
  [alice, bob, boss] = [
    await api.makeUser({ name: "alice" }),
    await api.makeUser({ name: "bob" }),
    await api.makeUser({ name: "boss", isAdmin: true }),
  ];
  await make(alice, { name: "open" });
  await make(alice, { name: "secret", private: true });
});
afterAll(() => api.stop());

async function make(as: Caller, body: object): Promise<number> {
  const answer = await api.call("POST", "/user/repos", { as, body });
  expect(answer.status).toBe(201);
  return answer.json.id;
}

describe("repoGet", () => {
  it("200: tells each kind of caller their rights", async () => {
    const permissionsOf = async (as: Caller | undefined) =>
      (await api.call("GET", "/repos/alice/open", { as })).json.permissions;
    expect(await permissionsOf(undefined)).toEqual({ admin: false, push: false, pull: true });
    expect(await permissionsOf(bob)).toEqual({ admin: false, push: false, pull: true });
    expect(await permissionsOf(alice)).toEqual({ admin: true, push: true, pull: true });
    expect(await permissionsOf(boss)).toEqual({ admin: true, push: true, pull: true });
  });

  it("404: what the caller may not see is worded as though absent (B-18, D-HIDDEN)", async () => {
    const answerFor = async (path: string, as?: Caller) => {
      const { status, json } = await api.call("GET", path, { as });
      return { status, message: json.message.replace(/alice\/\w+/, "NAME") };
    };
    const absent = await answerFor("/repos/alice/absent");
    expect(absent.status).toBe(404);
    expect(await answerFor("/repos/alice/secret")).toEqual(absent);
    expect(await answerFor("/repos/alice/secret", bob)).toEqual(absent);
    expect((await answerFor("/repos/nobody/secret")).status).toBe(404);
    expect((await api.call("GET", "/repos/alice/secret", { as: boss })).status).toBe(200);
  });

  it("404: a restricted user sees no public repository of others (semantics §3.8)", async () => {
    const restricted = await api.makeUser({ isRestricted: true });
    expect((await api.call("GET", "/repos/alice/open", { as: restricted })).status).toBe(404);
  });

  it("404: a public repository of a limited owner, for anonymous callers", async () => {
    const limited = await api.makeUser({ visibility: "limited" });
    await make(limited, { name: "open" });
    expect((await api.call("GET", `/repos/${limited.name}/open`)).status).toBe(404);
    expect((await api.call("GET", `/repos/${limited.name}/open`, { as: bob })).status).toBe(200);
  });

  it("403: a token that is limited to what is public, on a private repository", async () => {
    const token = await api.makeToken(alice, ["public-only", "read:repository"]);
    const as = { ...alice, token };
    expect((await api.call("GET", "/repos/alice/open", { as })).status).toBe(200);
    expect((await api.call("GET", "/repos/alice/secret", { as })).status).toBe(403);
  });

  it("403: a token without the scope, naming it", async () => {
    const token = await api.makeToken(alice, ["write:issue"]);
    const { status, json } = await api.call("GET", "/repos/alice/open", { as: { ...alice, token } });
    expect(status).toBe(403);
    expect(json.message).toContain("read:repository");
  });

  it("costs 2 requests with a token and 2 without once the names are known, 2 more before", async () => {
    const dora = await api.makeUser({ name: "dora" });
    await api.call("POST", "/user/repos", { as: dora, body: { name: "counted" } });
    const costs = async (as?: Caller) => tableRequests(await api.call("GET", "/repos/dora/counted", { as }));
    await api.call("GET", "/user", { as: dora });
    expect([await costs(dora), await costs(dora)]).toEqual([4, 2]);
    expect([await costs(), await costs()]).toEqual([4, 2]);
  });
});

describe("repoGetByID", () => {
  it("200: the same as by name", async () => {
    const byName = await api.call("GET", "/repos/alice/secret", { as: alice });
    const byId = await api.call("GET", `/repositories/${byName.json.id}`, { as: alice });
    expect(byId.status).toBe(200);
    expect(byId.json).toEqual(byName.json);
  });

  it("404: unknown, hidden, or no number", async () => {
    const { json } = await api.call("GET", "/repos/alice/secret", { as: alice });
    expect((await api.call("GET", `/repositories/${json.id}`, { as: bob })).status).toBe(404);
    expect((await api.call("GET", "/repositories/999999", { as: alice })).status).toBe(404);
    expect((await api.call("GET", "/repositories/alice", { as: alice })).status).toBe(404);
  });
});

describe("userListRepos", () => {
  it("200: the owner's repositories by id, filtered by what the caller may see", async () => {
    const namesFor = async (as?: Caller) => {
      const { json, headers } = await api.call("GET", "/users/ALICE/repos", { as });
      const names = json.map((one: { name: string }) => one.name);
      expect(headers.get("x-total-count")).toBe(String(names.length));
      return names;
    };
    expect(await namesFor()).toEqual(["open"]);
    expect(await namesFor(bob)).toEqual(["open"]);
    expect(await namesFor(alice)).toEqual(["open", "secret"]);
    expect(await namesFor(boss)).toEqual(["open", "secret"]);
    const token = await api.makeToken(alice, ["public-only", "read:repository", "read:user"]);
    expect(await namesFor({ ...alice, token })).toEqual(["open"]);
  });

  it("404: unknown users, and those that the caller may not see", async () => {
    const hidden = await createUser(api.forge, {
      name: "hidden",
      email: "hidden@example.com",
      password: "correct-horse-9",
      visibility: "private",
    });
    expect((await api.call("GET", `/users/${hidden.name}/repos`, { as: bob })).status).toBe(404);
    expect((await api.call("GET", "/users/nobody/repos", { as: bob })).status).toBe(404);
  });

  it("200: pages with Link and X-Total-Count; a page costs as many requests as a single row", async () => {
    const carol = await api.makeUser({ name: "carol" });
    await make(carol, { name: "r0" });
    const path = "/users/carol/repos?limit=2";
    const one = tableRequests(await api.call("GET", path));
    for (let at = 1; at < 5; at += 1) await make(carol, { name: `r${at}` });
    const second = await api.call("GET", `${path}&page=2`);
    expect(second.json.map((row: { name: string }) => row.name)).toEqual(["r2", "r3"]);
    expect(second.headers.get("x-total-count")).toBe("5");
    expect(second.headers.get("link")).toContain(
      '<http://127.0.0.1:3000/api/v1/users/carol/repos?limit=2&page=3>; rel="next"',
    );
    expect(tableRequests(second)).toBe(one);
    expect((await api.call("GET", `${path}&page=9`)).json).toEqual([]);
  });
});
