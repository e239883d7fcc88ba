import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { join, makeOrganization, makeRepository, makeTeam, namesIn } from "../organization/make.ts";

/** One organization whose private repository some may read, some write by a unit, and some administer. */
let api: TestApi;
const callers = new Map<string, Caller>();
const as = (name: string) => callers.get(name) as Caller;

beforeAll(async () => {
  api = await makeApi();
  for (const name of ["alice", "bob", "carol", "dave", "erin", "fred", "gone"]) {
    callers.set(name, await api.makeUser({ name }));
  }
  callers.set("recluse", await api.makeUser({ name: "recluse", visibility: "private" }));
  await makeOrganization(api, as("alice"), "acme");
  await makeRepository(api, as("alice"), "acme", "tools", { private: true });
  await makeRepository(api, as("alice"), "acme", "other");
  const give = async (team: number) =>
    api.call("PUT", `/teams/${team}/repos/acme/tools`, { as: as("alice") });
  const labelers = await makeTeam(api, as("alice"), "acme", "labelers", {
    permission: "write",
    units_map: { "repo.issues": "write", "repo.code": "read" },
  });
  const readers = await makeTeam(api, as("alice"), "acme", "readers");
  const strangers = await makeTeam(api, as("alice"), "acme", "strangers", {
    permission: "admin",
  });
  await give(labelers);
  await give(readers);
  await join(api, as("alice"), labelers, as("bob"));
  await join(api, as("alice"), readers, as("carol"));
  await join(api, as("alice"), strangers, as("dave"));
  for (const [who, permission] of [
    ["erin", "write"],
    ["fred", "read"],
    ["gone", "write"],
    ["recluse", "write"],
  ] as const) {
    const path = `/repos/acme/tools/collaborators/${who}`;
    const boss = await bossOf();
    expect((await api.call("PUT", path, { as: boss, body: { permission } })).status).toBe(204);
  }
  await api.call("PATCH", "/admin/users/gone", {
    as: await bossOf(),
    body: { active: false, source_id: 0, login_name: "gone" },
  });
});
afterAll(() => api.stop());

async function bossOf(): Promise<Caller> {
  const known = callers.get("boss") ?? (await api.makeUser({ name: "boss", isAdmin: true }));
  callers.set("boss", known);
  return known;
}

const list = (part: string, who: string, query = "") =>
  api.call("GET", `/repos/acme/tools/${part}${query}`, { as: callers.get(who) });

describe("repoGetAssignees", () => {
  it("200: owners, and who may write code, issues or pulls; not who may only read, has another repository, or is inactive", async () => {
    const answer = await list("assignees", "alice");
    expect([answer.status, namesIn(answer)]).toEqual([200, ["alice", "bob", "erin", "recluse"]]);
  });

  it("200: tells a reader of nobody whom they may not know of; pages when asked", async () => {
    expect(namesIn(await list("assignees", "fred"))).toEqual(["alice", "bob", "erin"]);
    const page = await list("assignees", "alice", "?limit=3&page=2");
    expect([namesIn(page), page.headers.get("x-total-count")]).toEqual([["recluse"], "4"]);
  });

  it("200: of a user's repository, the user and their writers", async () => {
    await api.call("POST", "/user/repos", { as: as("dave"), body: { name: "own" } });
    const put = { as: as("dave"), body: { permission: "admin" } };
    await api.call("PUT", "/repos/dave/own/collaborators/carol", put);
    const answer = await api.call("GET", "/repos/dave/own/assignees", { as: as("bob") });
    expect(namesIn(answer)).toEqual(["carol", "dave"]);
  });

  it("200: by name, whatever its case and however old the account; so are reviewers", async () => {
    for (const name of ["Zoe", "adam", "Berta"]) callers.set(name, await api.makeUser({ name }));
    await api.call("POST", "/user/repos", { as: as("Zoe"), body: { name: "own" } });
    for (const name of ["Berta", "adam", "carol"]) {
      const put = { as: as("Zoe"), body: { permission: "write" } };
      await api.call("PUT", `/repos/Zoe/own/collaborators/${name}`, put);
    }
    for (const part of ["assignees", "reviewers"]) {
      const answer = await api.call("GET", `/repos/Zoe/own/${part}`, { as: as("Zoe") });
      expect(namesIn(answer)).toEqual(["adam", "Berta", "carol", "Zoe"]);
      const page = await api.call("GET", `/repos/Zoe/own/${part}?limit=2&page=2`, { as: as("Zoe") });
      expect(namesIn(page)).toEqual(["carol", "Zoe"]);
    }
  });

  it("401 for nobody, 404 where the repository is hidden", async () => {
    expect((await api.call("GET", "/repos/acme/other/assignees")).status).toBe(401);
    expect((await list("assignees", "dave")).status).toBe(404);
  });
});

describe("repoCheckAssignee", () => {
  it("204 for users in the list, 404 without a body for others and for names of nobody (D-CHECK)", async () => {
    const check = async (name: string) => {
      const { status, text } = await list(`assignees/${name}`, "alice");
      return [status, text];
    };
    expect([await check("bob"), await check("BOB")]).toEqual([
      [204, ""],
      [204, ""],
    ]);
    for (const name of ["fred", "dave", "gone", "nobody"]) expect(await check(name)).toEqual([404, ""]);
  });
});

describe("repoGetReviewers", () => {
  it("200: everybody who was given the right to read code or pulls", async () => {
    const answer = await list("reviewers", "alice");
    expect([answer.status, namesIn(answer)]).toEqual([
      200,
      ["alice", "bob", "carol", "erin", "fred", "recluse"],
    ]);
    expect((await list("reviewers", "dave")).status).toBe(404);
  });
});
