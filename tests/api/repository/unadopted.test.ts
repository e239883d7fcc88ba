import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";

let api: TestApi;
let boss: Caller;
let alice: Caller;

beforeAll(async () => {
  api = await makeApi();
  boss = await api.makeUser({ name: "boss", isAdmin: true });
  alice = await api.makeUser({ name: "alice" });
  await api.call("POST", "/user/repos", { as: alice, body: { name: "engine" } });
});
afterAll(() => api.stop());

describe("adminUnadoptedList", () => {
  it("200: none, whatever is asked for", async () => {
    for (const query of ["", "?pattern=engine", "?page=2&limit=1"]) {
      const answer = await api.call("GET", `/admin/unadopted${query}`, { as: boss });
      expect([answer.status, answer.json, answer.headers.get("x-total-count")]).toEqual([200, [], "0"]);
    }
  });

  it("403: for administrators alone", async () => {
    expect((await api.call("GET", "/admin/unadopted", { as: alice })).status).toBe(403);
  });
});

const paths = ["alice/engine", "alice/none", "nobody/none"];

describe("adminAdoptRepository", () => {
  it("404: nothing to adopt; 403: for administrators alone", async () => {
    for (const path of paths) {
      expect((await api.call("POST", `/admin/unadopted/${path}`, { as: boss })).status).toBe(404);
      expect((await api.call("POST", `/admin/unadopted/${path}`, { as: alice })).status).toBe(403);
    }
  });
});

describe("adminDeleteUnadoptedRepository", () => {
  it("404: nothing to delete; a repository that has its record is not touched", async () => {
    for (const path of paths) {
      expect((await api.call("DELETE", `/admin/unadopted/${path}`, { as: boss })).status).toBe(404);
    }
    expect((await api.call("GET", "/repos/alice/engine")).status).toBe(200);
  });

  it("403: for administrators alone", async () => {
    expect((await api.call("DELETE", "/admin/unadopted/alice/engine", { as: alice })).status).toBe(403);
  });
});
