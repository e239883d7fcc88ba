import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";

let api: TestApi;
let alice: Caller;
let bob: Caller;
beforeAll(async () => {
  api = await makeApi();
  alice = await api.makeUser({ name: "alice" });
  bob = await api.makeUser({ name: "bob" });
  await api.call("POST", "/user/repos", { as: alice, body: { name: "secret", private: true } });
  await api.call("POST", "/user/repos", { as: alice, body: { name: "open" } });
});
afterAll(() => api.stop());

describe("repoGetLanguages", () => {
  it("200: {} of an empty repository, for anybody who may read it (41.4-6)", async () => {
    for (const as of [alice, bob, undefined]) {
      const { status, json } = await api.call("GET", "/repos/alice/open/languages", { as });
      expect([status, json]).toEqual([200, {}]);
    }
    expect((await api.call("GET", "/repos/alice/secret/languages", { as: alice })).json).toEqual({});
  });

  it("404 where the repository is hidden", async () => {
    expect((await api.call("GET", "/repos/alice/secret/languages", { as: bob })).status).toBe(404);
    expect((await api.call("GET", "/repos/alice/secret/languages")).status).toBe(404);
  });
});
