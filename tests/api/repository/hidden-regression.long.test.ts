import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeOrganization, makeRepository, makeTeam } from "../organization/make.ts";

/** Hidden and absent things must look the same, in words, costs and time (D-HIDDEN). */
let api: TestApi;
let outsider: Caller;
let hiddenId = 0;
let team = 0;
beforeAll(async () => {
  api = await makeApi();
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
  await makeOrganization(api, alice, "cloak", { visibility: "private" });
  await makeRepository(api, alice, "cloak", "dagger");
  team = await makeTeam(api, alice, "cloak", "crew");
  await makeOrganization(api, outsider, "outside");
  await makeRepository(api, alice, "cloak", "lent");
  const boss = await api.makeUser({ name: "boss", isAdmin: true });
  const rename = (path: string, name: string) =>
    api.call("PATCH", `/repos/${path}`, { as: boss, body: { name } });
  const give = (path: string, new_owner: string) =>
    api.call("POST", `/repos/${path}/transfer`, { as: boss, body: { new_owner } });
  for (const name of ["kept", "gone", "far", "back"]) {
    const body = { name, private: true };
    await api.call("POST", "/user/repos", { as: alice, body });
    await rename(`alice/${name}`, `${name}-b`);
  }
  await give("alice/gone-b", "recluse");
  await give("alice/far-b", "recluse");
  await rename("recluse/far-b", "far-c");
  await give("recluse/far-c", "cloak");
  await give("alice/back-b", "recluse");
  await give("recluse/back-b", "alice");
  await give("cloak/lent", "alice");
  await api.call("PATCH", "/repos/alice/lent", { as: alice, body: { private: true } });
  await api.call("GET", "/user", { as: outsider }); // the first use of a token is written down
  watch();
});
afterAll(() => api.stop());

/** How many requests of each kind went to the table since a moment ago: nobody may see an answer's own count. */
const operations = new Map<string, number>();
const watched = ["GetItem", "BatchGetItem", "Query"] as const;

function watch(): void {
  for (const operation of watched) {
    const fits = () => {
      operations.set(operation, (operations.get(operation) ?? 0) + 1);
      return false;
    };
    api.faults.inject({ service: "dynamodb", operation, fault: "throttled", fits });
  }
}

async function counted<T>(
  work: () => Promise<T>,
): Promise<{ result: T; operations: Record<string, number> }> {
  operations.clear();
  const result = await work();
  return { result, operations: Object.fromEntries(operations) };
}

async function ask(path: string) {
  const { result, operations: asked } = await counted(() => api.call("GET", path, { as: outsider }));
  const { status, headers, json } = result;
  return { status, json, operations: asked, cost: headers.get("server-timing") };
}

const told = ({ json }: Awaited<ReturnType<typeof ask>>): string => [json.message, ...json.errors].join(" ");

describe.each<[string, () => string, string, string]>([
  ["a private repository", () => "/repos/alice/secret", "/repos/alice/absent", "repository"],
  ["an issue of one", () => "/repos/alice/secret/issues/1", "/repos/alice/absent/issues/1", "repository"],
  ["a repository of a private user", () => "/repos/recluse/cave", "/repos/nobody/cave", "repository"],
  ["its former name", () => "/repos/alice/kept", "/repos/alice/absent", "repository"],
  ["one before it was given away", () => "/repos/alice/gone", "/repos/alice/absent", "repository"],
  ["its last one before it was given away", () => "/repos/alice/gone-b", "/repos/alice/absent", "repository"],
  ["one before it was given away twice", () => "/repos/alice/far", "/repos/alice/absent", "repository"],
  ["one between", () => "/repos/recluse/far-b", "/repos/nobody/far-b", "repository"],
  ["one that it has again, there and back", () => "/repos/alice/back", "/repos/alice/absent", "repository"],
  ["one at a private user's, there and back", () => "/repos/recluse/back-b", "/repos/nobody/x", "repository"],
  ["one at a private organization's", () => "/repos/cloak/lent", "/repos/nobody/lent", "repository"],
  ["a private repository by id", () => `/repositories/${hiddenId}`, "/repositories/999", "repository"],
  [
    "a repository of a private organization",
    () => "/repos/cloak/dagger",
    "/repos/nobody/dagger",
    "repository",
  ],
  ["a private organization", () => "/orgs/cloak", "/orgs/nobody", "user redirect"],
  ["teams of a private organization", () => "/orgs/cloak/teams", "/orgs/nobody/teams", "user redirect"],
  ["a team of a private organization", () => `/teams/${team}`, "/teams/999", "team"],
  ["a private user", () => "/users/recluse", "/users/nobody", "user redirect"],
  ["repositories of a private user", () => "/users/recluse/repos", "/users/nobody/repos", "user redirect"],
  [
    "issues by a private user",
    () => "/repos/alice/open/issues?created_by=recluse",
    "/repos/alice/open/issues?created_by=nobody",
    "user redirect",
  ],
])("404: %s", (_what, hiddenPath, absentPath, noun) => {
  it("is answered as though absent, from as many reads, and does not say what it cost", async () => {
    await ask(absentPath); // names that let the caller in are known from then on
    const hidden = await ask(hiddenPath());
    const absent = await ask(absentPath);
    expect(hidden.status).toBe(404);
    expect(told(hidden)).toContain(`${noun} does not exist `);
    expect(told(absent)).toContain(`${noun} does not exist `);
    expect(hidden.json.errors.length).toBe(absent.json.errors.length);
    expect(hidden.operations).toEqual(absent.operations);
    expect(Object.keys(hidden.operations)).not.toEqual([]);
    expect([hidden.cost, absent.cost]).toEqual([null, null]);
  });
});

describe("401: a login that fails", () => {
  it("reads as much for an unknown name as for a known one, and does not say what it cost", async () => {
    const log = async (login: string) => {
      const headers = { authorization: `Basic ${Buffer.from(`${login}:wrong`).toString("base64")}` };
      const { result, operations: asked } = await counted(() => api.call("GET", "/user", { headers }));
      expect(result.status).toBe(401);
      return { operations: asked, cost: result.headers.get("server-timing") };
    };
    expect(await log("recluse")).toEqual({ ...(await log("nobody")), cost: null });
    expect(await log("recluse@example.com")).toEqual(await log("nobody@example.com"));
  });
});
