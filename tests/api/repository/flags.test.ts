import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defined } from "#core/defined";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";

let api: TestApi;
let boss: Caller;
let alice: Caller;
const path = "/repos/alice/marked/flags";

beforeAll(async () => {
  api = await makeApi({ settings: { ENABLE_FLAGS: "true" } });
  boss = await api.makeUser({ name: "boss", isAdmin: true });
  alice = await api.makeUser({ name: "alice" });
  await api.call("POST", "/user/repos", { as: alice, body: { name: "marked", private: true } });
});
afterAll(() => api.stop());

const call = (method: string, flag = "", body?: object, as: Caller | undefined = boss) =>
  api.call(method, flag === "" ? path : `${path}/${flag}`, { as, ...defined({ body }) });
const list = async () => (await call("GET")).json;

describe.each([["repoListFlags", "repoReplaceAllFlags", "repoDeleteAllFlags"]])(
  "%s %s %s (semantics §67.1)",
  () => {
    it("200, 204: none at first, then those given, each once; then none", async () => {
      expect(await list()).toEqual([]);
      expect((await call("PUT", "", { flags: ["b", "a", "b"] })).status).toBe(204);
      expect(await list()).toEqual(["a", "b"]);
      expect((await call("DELETE")).status).toBe(204);
      expect(await list()).toEqual([]);
    });

    it("422 for more than 100, for an empty name and for one of 256 characters: nothing changes", async () => {
      const many = Array.from({ length: 101 }, (_, count) => `f${count}`);
      for (const flags of [many, [""], ["x".repeat(256)], "text"]) {
        expect((await call("PUT", "", { flags })).status).toBe(422);
      }
      expect(await list()).toEqual([]);
    });
  },
);

describe.each([["repoCheckFlag", "repoAddFlag", "repoDeleteFlag"]])("%s %s %s (semantics §67.1)", () => {
  it("204: give a flag and take it off, as often as asked; 404 without a body for one that is not there", async () => {
    expect((await call("GET", "x")).status).toBe(404);
    for (const _time of [1, 2]) expect((await call("PUT", "x")).status).toBe(204);
    expect([(await call("GET", "x")).status, await list()]).toEqual([204, ["x"]]);
    for (const _time of [1, 2]) expect((await call("DELETE", "x")).status).toBe(204);
    const { status, text } = await call("GET", "x");
    expect([status, text]).toEqual([404, ""]);
  });

  it("keeps all of twenty flags that are given at once", async () => {
    const names = Array.from({ length: 20 }, (_, count) => `at-once-${count + 10}`);
    const statuses = await Promise.all(names.map(async (name) => (await call("PUT", name)).status));
    const given = names.filter((_name, at) => statuses[at] === 204);
    expect(await list()).toEqual(expect.arrayContaining(given));
    expect(statuses.every((status) => status === 204 || status === 409)).toBe(true);
  });
});

describe("flags and rights", () => {
  it("403 for the owner, 401 for nobody where the repository is known, 404 where it is hidden", async () => {
    expect((await call("GET", "", undefined, alice)).status).toBe(403);
    const stranger = await api.makeUser({ name: "stranger" });
    expect((await call("GET", "", undefined, stranger)).status).toBe(404);
    expect((await api.call("GET", path)).status).toBe(404);
    await api.call("POST", "/user/repos", { as: alice, body: { name: "open" } });
    expect((await api.call("GET", "/repos/alice/open/flags")).status).toBe(401);
  });

  it("404 on every route unless ENABLE_FLAGS is set", async () => {
    const off = await makeApi();
    try {
      const admin = await off.makeUser({ name: "boss", isAdmin: true });
      await off.call("POST", "/user/repos", { as: admin, body: { name: "r" } });
      const statuses: number[] = [];
      for (const [method, one] of [
        ["GET", ""],
        ["PUT", ""],
        ["DELETE", ""],
        ["GET", "/x"],
        ["PUT", "/x"],
        ["DELETE", "/x"],
      ] as const) {
        const body = method === "PUT" && one === "" ? { body: { flags: [] } } : {};
        statuses.push((await off.call(method, `/repos/boss/r/flags${one}`, { as: admin, ...body })).status);
      }
      expect(statuses).toEqual(Array(6).fill(404));
    } finally {
      await off.stop();
    }
  });
});
