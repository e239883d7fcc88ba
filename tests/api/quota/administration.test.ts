import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { makeOrganization } from "#tests/api/organization/make";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { findingsOf } from "#tests/support/findings";
import { finishJobs } from "#tests/support/jobs";

let api: TestApi;
let boss: Caller;
let alice: Caller;
let made = 0;
let name: string;

beforeAll(async () => {
  api = await makeApi();
  boss = await api.makeUser({ name: "boss", isAdmin: true });
  alice = await api.makeUser({ name: "alice" });
});
beforeEach(() => {
  made += 1;
  name = `n${made}`;
});
afterAll(() => api.stop());

const call = (method: string, path: string, body?: object, as = boss) =>
  api.call(method, `/admin${path}`, body === undefined ? { as } : { as, body });
const status = async (method: string, path: string, body?: object) => (await call(method, path, body)).status;
const packages = "size:assets:packages:all";

describe("adminCreateQuotaRule", () => {
  it("201: with its three fields; 409: again, also at once (NS-5, semantics §18.6)", async () => {
    const rule = { name, limit: 0, subjects: ["size:all"] };
    const answers = await Promise.all([1, 2, 3].map(() => call("POST", "/quota/rules", rule)));
    expect(answers.map((one) => one.status).sort()).toEqual([201, 409, 409]);
    expect(answers.find((one) => one.status === 201)?.json).toEqual(rule);
  });

  it.each([
    ["no limit", { subjects: ["size:all"] }],
    ["an unknown subject", { limit: 0, subjects: ["size:bogus"] }],
    ["a limit below -1", { limit: -2 }],
    ["2^53, which no number keeps apart from its neighbor", { limit: 2 ** 53 }],
    ["half a byte", { limit: 0.5 }],
    ["no name", { name: "", limit: 0 }],
    ["a name of spaces", { name: " ", limit: 0 }],
    ["a name of 256 characters", { name: "n".repeat(256), limit: 0 }],
  ])("422: %s", async (_title, body) => {
    expect(await status("POST", "/quota/rules", { name, ...body })).toBe(422);
    expect(await status("GET", `/quota/rules/${name}`)).toBe(404);
  });

  it("422: a body that is null, or none", async () => {
    expect((await api.call("POST", "/admin/quota/rules", { as: boss, raw: "null" })).status).toBe(422);
    expect(await status("POST", "/quota/rules")).toBe(422);
  });

  it("201: limits of -1, 0 and 2^53 - 1; subjects once each, as given; both names of wikis (D-QUOTA-WIKI)", async () => {
    for (const limit of [-1, 0, 2 ** 53 - 1]) {
      const rule = { name: `${name}/${limit}`, limit, subjects: ["size:wiki", "size:assets:wiki", "none"] };
      const twice = { ...rule, subjects: [...rule.subjects, "none"] };
      expect((await call("POST", "/quota/rules", twice)).json).toEqual(rule);
      const path = `/quota/rules/${encodeURIComponent(rule.name)}`;
      expect((await call("GET", path)).json).toEqual(rule);
    }
  });

  it("201: without subjects, which are then not shown", async () => {
    expect((await call("POST", "/quota/rules", { name, limit: 5 })).json).toEqual({ name, limit: 5 });
  });

  it("422: more rules than the item holds; nothing is lost", async () => {
    const rules = Array.from({ length: 700 }, (_, at) => ({ name: `${at}-${"n".repeat(245)}` }));
    expect(await status("POST", "/quota/groups", { name, rules })).toBe(422);
    expect(await status("GET", `/quota/groups/${name}`)).toBe(404);
  });
});

describe("adminListQuotaRules, adminGetQuotaRule, adminEditQuotaRule, adminDEleteQuotaRule", () => {
  it("200: by name, with X-Total-Count; 200: absent fields stay, an empty body changes nothing", async () => {
    for (const part of ["b", "a"])
      await call("POST", "/quota/rules", { name: `${name}-${part}`, limit: 7, subjects: [packages] });
    const listed = await call("GET", "/quota/rules");
    const own = listed.json.filter((one: { name: string }) => one.name.startsWith(`${name}-`));
    expect(own.map((one: { name: string }) => one.name)).toEqual([`${name}-a`, `${name}-b`]);
    expect(listed.headers.get("x-total-count")).toBe(String(listed.json.length));
    const path = `/quota/rules/${name}-a`;
    expect((await call("PATCH", path, { limit: 9 })).json).toEqual({ ...own[0], limit: 9 });
    expect((await call("PATCH", path, { subjects: ["size:all"] })).json.subjects).toEqual(["size:all"]);
    expect((await call("PATCH", path, {})).json).toMatchObject({ limit: 9, subjects: ["size:all"] });
    expect(await status("PATCH", path, { subjects: ["size:bogus"] })).toBe(422);
    expect(await status("PATCH", path, { limit: -5 })).toBe(422);
    expect(await status("PATCH", `${path}-missing`, {})).toBe(404);
  });

  it("204: leaves all groups; 404: again", async () => {
    await call("POST", "/quota/groups", { name, rules: [{ name, limit: 1 }, { name: `${name}-other` }] });
    expect(await status("DELETE", `/quota/rules/${name}`)).toBe(204);
    const { json } = await call("GET", `/quota/groups/${name}`);
    expect(json.rules).toEqual([{ name: `${name}-other`, limit: 0 }]);
    expect(await status("DELETE", `/quota/rules/${name}`)).toBe(404);
  });
});

describe("adminCreateQuotaGroup, adminListQuotaGroups, adminGetQuotaGroup, adminDeleteQuotaGroup", () => {
  it("201: known rules as they are, new ones made, also at once; 409: again (semantics §18.6)", async () => {
    await call("POST", "/quota/rules", { name, limit: 3, subjects: [packages] });
    const rules = [
      { name, limit: 8 },
      { name: `${name}-new`, limit: 4, subjects: ["size:all"] },
    ];
    const created = await call("POST", "/quota/groups", { name, rules });
    const group = { name, rules: [{ name, limit: 3, subjects: [packages] }, rules[1]] };
    expect([created.status, created.json]).toEqual([201, group]);
    expect((await call("GET", "/quota/groups")).json).toContainEqual(group);
    expect(await status("GET", `/quota/rules/${name}-new`)).toBe(200);
    expect(await status("POST", "/quota/groups", { name })).toBe(409);
  });

  it("422: without a name, or with an unknown subject inside; neither group nor rules are made", async () => {
    const rules = [{ name: `${name}-good` }, { name: `${name}-bad`, subjects: ["size:bogus"] }];
    expect(await status("POST", "/quota/groups", { name, rules })).toBe(422);
    expect(await status("POST", "/quota/groups", { rules: [{ name: `${name}-good` }] })).toBe(422);
    expect(await status("GET", `/quota/groups/${name}`)).toBe(404);
    expect(await status("GET", `/quota/rules/${name}-good`)).toBe(404);
  });

  it("204: its owners leave it for good, also for a later group of its name; its rules stay", async () => {
    await call("POST", "/quota/groups", { name, rules: [{ name }] });
    await call("PUT", `/quota/groups/${name}/users/alice`);
    expect(await status("DELETE", `/quota/groups/${name}`)).toBe(204);
    expect(await status("DELETE", `/quota/groups/${name}`)).toBe(404);
    expect(await status("GET", `/quota/rules/${name}`)).toBe(200);
    await call("POST", "/quota/groups", { name });
    expect((await call("GET", `/quota/groups/${name}/users`)).json).toEqual([]);
    await finishJobs(api);
    expect(await findingsOf(api)).toEqual([]);
  });
});

describe("adminAddRuleToQuotaGroup, adminRemoveRuleFromQuotaGroup", () => {
  it("204, then 409 and 404: in the group or not; 404: no such group or rule", async () => {
    await call("POST", "/quota/rules", { name, limit: 1 });
    await call("POST", "/quota/groups", { name });
    const path = `/quota/groups/${name}/rules/${name}`;
    expect(await status("DELETE", path)).toBe(404);
    expect([await status("PUT", path), await status("PUT", path)]).toEqual([204, 409]);
    expect((await call("GET", `/quota/groups/${name}`)).json.rules).toEqual([{ name, limit: 1 }]);
    expect([await status("DELETE", path), await status("DELETE", path)]).toEqual([204, 404]);
    expect(await status("PUT", `${path}-missing`)).toBe(404);
    expect(await status("PUT", `/quota/groups/${name}-missing/rules/${name}`)).toBe(404);
  });
});

describe("adminAddUserToQuotaGroup, adminRemoveUserFromQuotaGroup, adminListUsersInQuotaGroup", () => {
  it("204, then 409 and 404; 200: users and organizations, paged; 404: no such group or owner", async () => {
    await call("POST", "/quota/groups", { name });
    const { username: organization } = await makeOrganization(api, alice, `org-${name}`);
    for (const owner of ["alice", organization]) {
      const path = `/quota/groups/${name}/users/${owner}`;
      expect(await status("DELETE", path)).toBe(404);
      expect([await status("PUT", path), await status("PUT", path)]).toEqual([204, 409]);
    }
    const listed = await call("GET", `/quota/groups/${name}/users?limit=1&page=2`);
    expect(listed.json.map((one: { login: string }) => one.login)).toEqual([organization]);
    expect(listed.headers.get("x-total-count")).toBe("2");
    const path = `/quota/groups/${name}/users/alice`;
    expect([await status("DELETE", path), await status("DELETE", path)]).toEqual([204, 404]);
    expect(await status("PUT", `/quota/groups/${name}/users/nobody-here`)).toBe(404);
    expect(await status("PUT", `/quota/groups/${name}-missing/users/alice`)).toBe(404);
    expect(await status("GET", `/quota/groups/${name}-missing/users`)).toBe(404);
  });
});

describe("adminSetUserQuotaGroups", () => {
  const set = (groups: string[], who = "alice") => status("POST", `/users/${who}/quota/groups`, { groups });
  const members = async (group: string) =>
    (await call("GET", `/quota/groups/${group}/users`)).json.map((one: { login: string }) => one.login);

  it("204: replaces all groups, each once; none: clears; 422: an unknown one changes nothing; 404: no such owner", async () => {
    const [one, other] = [`${name}-1`, `${name}-2`];
    for (const group of [one, other]) await call("POST", "/quota/groups", { name: group });
    expect(await set([one, one])).toBe(204);
    expect([await members(one), await members(other)]).toEqual([["alice"], []]);
    expect(await set([other])).toBe(204);
    expect([await members(one), await members(other)]).toEqual([[], ["alice"]]);
    expect(await set([one, `${name}-missing`])).toBe(422);
    expect(await members(other)).toEqual(["alice"]);
    expect(await set([])).toBe(204);
    expect(await members(other)).toEqual([]);
    expect(await set([], "nobody-here")).toBe(404);
    expect(await status("POST", "/users/alice/quota/groups", {})).toBe(422);
  });
});

describe("the end of an owner", () => {
  it("takes users and organizations out of their groups", async () => {
    await call("POST", "/quota/groups", { name });
    const leaving = await api.makeUser();
    const { username: organization } = await makeOrganization(api, alice, `org-${name}`);
    for (const owner of [leaving.name, organization])
      await call("PUT", `/quota/groups/${name}/users/${owner}`);
    expect(await status("DELETE", `/users/${leaving.name}`)).toBe(204);
    expect((await api.call("DELETE", `/orgs/${organization}`, { as: alice })).status).toBe(204);
    await finishJobs(api);
    const listed = await call("GET", `/quota/groups/${name}/users`);
    expect([listed.json, listed.headers.get("x-total-count")]).toEqual([[], "0"]);
    expect(await findingsOf(api)).toEqual([]);
  });
});
