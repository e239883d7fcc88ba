import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { tableRequests } from "../costs.ts";

let api: TestApi;
let alice: Caller;
let bob: Caller;

beforeAll(async () => {
  api = await makeApi();
  [alice, bob] = [await api.makeUser({ name: "alice" }), await api.makeUser({ name: "bob" })];
});
afterAll(() => api.stop());

async function make(name: string, options: object = {}): Promise<number> {
  const body = { name, auto_init: true, ...options };
  const answer = await api.call("POST", "/user/repos", { as: alice, body });
  expect(answer.status).toBe(201);
  return answer.json.id;
}
const remove = (name: string, as?: Caller) => api.call("DELETE", `/repos/alice/${name}`, { as });

describe("repoDelete", () => {
  it("204: gone from every way in and every list at once, and its name is free", async () => {
    const id = await make("doomed");
    const { status, text } = await remove("doomed", alice);
    expect([status, text]).toEqual([204, ""]);
    for (const path of ["/repos/alice/doomed", `/repositories/${id}`, "/repos/alice/doomed/branches"]) {
      expect((await api.call("GET", path, { as: alice })).status).toBe(404);
    }
    for (const path of ["/user/repos", "/user/repos?order_by=size", "/users/alice/repos"]) {
      expect((await api.call("GET", path, { as: alice })).json).toEqual([]);
    }
    expect((await api.call("GET", "/repos/search?q=doomed", { as: alice })).json.data).toEqual([]);
    expect(await make("doomed")).toBeGreaterThan(id);
    expect((await remove("doomed", alice)).status).toBe(204);
  });

  it("204: an administrator, whoever owns it", async () => {
    await make("watched", { private: true });
    const boss = await api.makeUser({ isAdmin: true });
    expect((await remove("watched", boss)).status).toBe(204);
  });

  it("204 once and 404 for the rest, when several delete it at the same time", async () => {
    await make("contested");
    const answers = await Promise.all([1, 2, 3].map(() => remove("contested", alice)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404]);
  });

  it("204 and 201 or 409: a creation of its name at the same time has it or has to wait", async () => {
    await make("reborn");
    const [removed, created] = await Promise.all([
      remove("reborn", alice),
      api.call("POST", "/user/repos", { as: alice, body: { name: "reborn" } }),
    ]);
    expect(removed.status).toBe(204);
    expect([201, 409]).toContain(created.status);
    const { status } = await api.call("GET", "/repos/alice/reborn", { as: alice });
    expect(status).toBe(created.status === 201 ? 200 : 404);
  });

  it("401, 403: anonymous callers, readers, tokens that may only read", async () => {
    await make("kept");
    expect((await remove("kept")).status).toBe(401);
    expect((await remove("kept", bob)).status).toBe(403);
    const token = await api.makeToken(alice, ["read:repository"]);
    expect((await remove("kept", { ...alice, token })).status).toBe(403);
    expect((await api.call("GET", "/repos/alice/kept")).status).toBe(200);
  });

  it("404: unknown, or hidden from the caller", async () => {
    await make("secret", { private: true });
    expect((await remove("secret", bob)).status).toBe(404);
    expect((await remove("secret")).status).toBe(404);
    expect((await remove("absent", alice)).status).toBe(404);
  });

  it("costs 8 requests, one of them for forks, whatever the repository holds", async () => {
    await make("full");
    await make("bare", { auto_init: false });
    const costs = [await remove("full", alice), await remove("bare", alice)].map(tableRequests);
    expect(costs).toEqual([8, 8]);
  });
});
