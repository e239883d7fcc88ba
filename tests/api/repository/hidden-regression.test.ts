import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { measured } from "#core/meter";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";

/** What is hidden must not be told from what is absent, not by words, costs or time (D-HIDDEN). */
let api: TestApi;
let outsider: Caller;
let hiddenId = 0;
beforeAll(async () => {
  api = await makeApi({ settings: { PASSWORD_HASH_COST: "10" } });
  const alice = await api.makeUser({ name: "alice" });
  const recluse = await api.makeUser({ name: "recluse", visibility: "private" });
  outsider = await api.makeUser({ name: "outsider" });
  await api.call("POST", "/user/repos", { as: alice, body: { name: "open" } });
  const secret = await api.call("POST", "/user/repos", {
    as: alice,
    body: { name: "secret", private: true },
  });
  hiddenId = secret.json.id;
  await api.call("POST", "/user/repos", { as: recluse, body: { name: "cave" } });
  await api.call("GET", "/user", { as: outsider }); // the first use of a token is written down
});
afterAll(() => api.stop());

async function ask(path: string) {
  const { result, usage } = await measured(() => api.call("GET", path, { as: outsider }));
  const { status, headers, json } = result;
  return { status, json, operations: usage.operations, cost: headers.get("server-timing") };
}

describe.each<[string, () => string, string, string]>([
  ["a private repository", () => "/repos/alice/secret", "/repos/alice/absent", "repository"],
  ["an issue of one", () => "/repos/alice/secret/issues/1", "/repos/alice/absent/issues/1", "repository"],
  ["a repository of a private user", () => "/repos/recluse/cave", "/repos/nobody/cave", "repository"],
  ["a private repository by id", () => `/repositories/${hiddenId}`, "/repositories/999", "repository"],
  ["a private user", () => "/users/recluse", "/users/nobody", "user"],
  ["repositories of a private user", () => "/users/recluse/repos", "/users/nobody/repos", "user"],
  [
    "issues by a private user",
    () => "/repos/alice/open/issues?created_by=recluse",
    "/repos/alice/open/issues?created_by=nobody",
    "user",
  ],
])("404: %s", (_what, hiddenPath, absentPath, noun) => {
  it("is answered as though absent, from as many reads, and does not say what it cost", async () => {
    const hidden = await ask(hiddenPath());
    const absent = await ask(absentPath);
    expect(hidden.status).toBe(404);
    expect(hidden.json.message).toMatch(new RegExp(`^${noun} does not exist `));
    expect(absent.json.message).toMatch(new RegExp(`^${noun} does not exist `));
    expect(hidden.operations).toEqual(absent.operations);
    expect([hidden.cost, absent.cost]).toEqual([null, null]);
  });
});

describe("401: a login that fails", () => {
  it("reads as much for an unknown name as for a known one, and does not say what it cost", async () => {
    const log = async (login: string) => {
      const headers = { authorization: `Basic ${Buffer.from(`${login}:wrong`).toString("base64")}` };
      const { result, usage } = await measured(() => api.call("GET", "/user", { headers }));
      expect(result.status).toBe(401);
      return { operations: usage.operations, cost: result.headers.get("server-timing") };
    };
    expect(await log("recluse")).toEqual({ ...(await log("nobody")), cost: null });
    expect(await log("recluse@example.com")).toEqual(await log("nobody@example.com"));
  });
});
