import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHook, getHook, listHooks } from "#core/hook/hook";
import { hookSecretsOf } from "#core/hook/secrets";
import { checkTable } from "#core/lifecycle/check/check";
import { forgetOrganization } from "#core/lifecycle/end-of-organization";
import { type Caller, type JsonValue, makeApi, type TestApi } from "#tests/support/api";
import { makeOrganization } from "../organization/make.ts";

let api: TestApi;
let owner: Caller;
let other: Caller;
let boss: Caller;

beforeAll(async () => {
  api = await makeApi();
  owner = await api.makeUser({ name: "olga" });
  other = await api.makeUser({ name: "otto" });
  boss = await api.makeUser({ name: "boss", isAdmin: true });
  await makeOrganization(api, owner, "acme");
  await makeOrganization(api, owner, "second");
});
afterAll(() => api.stop());

const config = { url: "https://ci.example/hook", content_type: "json", secret: "s" };
const given = { type: "gitea", config, authorization_header: "Bearer abc", events: ["issues_only"] };
const ids = (rows: JsonValue[]) => rows.map(({ id }) => id);

/** Parents of hooks beside repositories: who may, and who is refused with which status. */
const places = [
  {
    operations: ["orgListHooks", "orgCreateHook", "orgGetHook", "orgEditHook", "orgDeleteHook"],
    path: "/orgs/acme/hooks",
    elsewhere: "/orgs/second/hooks",
    by: () => owner,
    refused: 403,
  },
  {
    operations: ["userListHooks", "userCreateHook", "userGetHook", "userEditHook", "userDeleteHook"],
    path: "/user/hooks",
    elsewhere: "/admin/hooks",
    by: () => owner,
    refused: undefined,
  },
  {
    operations: ["adminListHooks", "adminCreateHook", "adminGetHook", "adminEditHook", "adminDeleteHook"],
    path: "/admin/hooks",
    elsewhere: "/user/hooks",
    by: () => boss,
    refused: 403,
  },
] as const;

describe.each(places)("$operations (EV-1, semantics §27.1, §27.2)", ({ path, elsewhere, by, refused }) => {
  it("orgCreateHook 201, orgListHooks, orgGetHook, orgEditHook 200, orgDeleteHook 204, likewise of users and the system: are created inactive, shown without their secret, changed and deleted", async () => {
    const as = by();
    const before = (await api.call("GET", path, { as })).json;
    const { status, json, text, headers } = await api.call("POST", path, { as, body: given });
    expect([status, headers.get("cache-control")]).toEqual([201, "no-store"]);
    expect(json).toMatchObject({ type: "gitea", active: false, events: ["issues"], branch_filter: "" });
    expect(text).not.toContain('"secret"');
    const one = `${path}/${json.id}`;
    expect((await api.call("GET", one, { as })).json).toEqual(json);
    const listed = await api.call("GET", `${path}/?limit=1&page=${before.length + 1}`, { as });
    expect(listed.json).toEqual([json]);
    expect(listed.headers.get("x-total-count")).toBe(String(before.length + 1));
    const edited = await api.call("PATCH", one, { as, body: { active: true } });
    expect([edited.status, edited.json]).toEqual([200, { ...json, active: true }]);
    expect((await api.call("DELETE", one, { as })).status).toBe(204);
    expect((await api.call("GET", one, { as })).status).toBe(404);
    expect((await api.call("DELETE", one, { as })).status).toBe(404);
    expect((await api.call("PATCH", one, { as, body: {} })).status).toBe(404);
  });

  it("serves both forms of the path, with and without a slash at the end (D-PATHS)", async () => {
    const as = by();
    const { status, json } = await api.call("POST", `${path}/`, { as, body: given });
    expect(status).toBe(201);
    expect(ids((await api.call("GET", path, { as })).json)).toContain(json.id);
  });

  it("404 for a hook of another place; 422 for what a repository's would be refused for", async () => {
    const as = by();
    const { json } = await api.call("POST", path, { as, body: given });
    const stranger = path === "/user/hooks" ? boss : owner;
    const answer = await api.call("GET", `${elsewhere}/${json.id}`, { as: stranger });
    expect(answer.status).toBe(404);
    const bad = { type: "gitea", config: { content_type: "json" } };
    expect((await api.call("POST", path, { as, body: bad })).status).toBe(422);
  });

  it("401 for nobody; nothing of it for those who may not", async () => {
    const { json } = await api.call("POST", path, { as: by(), body: given });
    expect((await api.call("GET", path)).status).toBe(401);
    const statuses = [
      (await api.call("GET", path, { as: other })).status,
      (await api.call("GET", `${path}/${json.id}`, { as: other })).status,
      (await api.call("POST", path, { as: other, body: given })).status,
      (await api.call("DELETE", `${path}/${json.id}`, { as: other })).status,
    ];
    expect(statuses).toEqual(refused === undefined ? [200, 404, 201, 404] : Array(4).fill(refused));
  });
});

describe("adminCreateHook, adminListHooks (EV-2, D-HOOKS)", () => {
  const asDefault = (value: string) => ({ ...given, config: { ...config, is_system_webhook: value } });

  it("makes a hook of the system unless told otherwise; 422 for a text that says neither", async () => {
    const system = await api.call("POST", "/admin/hooks", { as: boss, body: asDefault("true") });
    expect(ids((await api.call("GET", "/admin/hooks", { as: boss })).json)).toContain(system.json.id);
    expect((await api.call("POST", "/admin/hooks", { as: boss, body: asDefault("maybe") })).status).toBe(422);
  });

  it("makes one that new repositories begin with a copy of: not listed, found by its id, its secrets kept", async () => {
    const made = await api.call("POST", "/admin/hooks", { as: boss, body: asDefault("false") });
    expect(made.status).toBe(201);
    expect(ids((await api.call("GET", "/admin/hooks", { as: boss })).json)).not.toContain(made.json.id);
    const one = `/admin/hooks/${made.json.id}`;
    expect((await api.call("PATCH", one, { as: boss, body: { active: true } })).json.active).toBe(true);

    const creations = [
      ["/user/repos", { name: "plain" }],
      ["/orgs/acme/repos", { name: "begun", auto_init: true }],
    ] as const;
    const copies: JsonValue[] = [];
    for (const [path, body] of creations) {
      const { json } = await api.call("POST", path, { as: owner, body });
      const listed = (await api.call("GET", `/repos/${json.full_name}/hooks`, { as: owner })).json;
      expect(listed).toMatchObject([
        { url: config.url, active: true, events: ["issues"], authorization_header: "********" },
      ]);
      const stored = await getHook(api.forge, { kind: "repository", id: json.id }, listed[0].id);
      expect(hookSecretsOf(api.forge, stored)).toEqual({ secret: "s", authorizationHeader: "Bearer abc" });
      copies.push(listed[0].id);
    }
    const fork = await api.call("POST", "/repos/acme/begun/forks", { as: other, body: {} });
    const forked = await api.call("GET", `/repos/${fork.json.full_name}/hooks`, { as: other });
    expect(forked.json).toHaveLength(1);
    expect(new Set([made.json.id, ...copies, ...ids(forked.json)]).size).toBe(4);

    expect((await api.call("DELETE", one, { as: boss })).status).toBe(204);
    const later = await api.call("POST", "/user/repos", { as: owner, body: { name: "later" } });
    expect((await api.call("GET", `/repos/${later.json.full_name}/hooks`, { as: owner })).json).toEqual([]);
  });

  describe("the copies (D-DEFAULTHOOK)", () => {
    const url = "https://robot:hunter2@ci.example/hook?token=swordfish";
    const masked = "https://********@ci.example/hook?token=********";
    const body = { ...given, config: { ...config, url, is_system_webhook: "false" } };
    let made = 0;
    const makeCopy = async () => {
      const original = await api.call("POST", "/admin/hooks", { as: boss, body });
      made += 1;
      const { json } = await api.call("POST", "/user/repos", { as: owner, body: { name: `masked-${made}` } });
      await api.call("DELETE", `/admin/hooks/${original.json.id}`, { as: boss });
      const path = `/repos/${json.full_name}/hooks`;
      const [hook] = (await api.call("GET", path, { as: owner })).json;
      const read = async () => {
        const stored = await getHook(api.forge, { kind: "repository", id: json.id }, hook.id);
        return { url: stored.url, ...hookSecretsOf(api.forge, stored) };
      };
      return { path, one: `${path}/${hook.id}`, read };
    };

    it("200: are masked for all but site administrators, who see address and header as they are", async () => {
      const { path, one } = await makeCopy();
      for (const asked of [path, one]) {
        const { json, text } = await api.call("GET", asked, { as: owner });
        const [seen] = [json].flat();
        expect([seen.url, seen.config.url, seen.authorization_header]).toEqual([masked, masked, "********"]);
        expect(text).not.toMatch(/hunter2|swordfish|Bearer abc/);
      }
      const sudo = { as: boss, headers: { sudo: owner.name } };
      expect((await api.call("GET", one, sudo)).json.url).toBe(masked);
      const { json } = await api.call("GET", one, { as: boss });
      expect([json.url, json.authorization_header]).toEqual([url, "Bearer abc"]);
    });

    it("200: masks that are sent back change nothing", async () => {
      const { one, read } = await makeCopy();
      const { json } = await api.call("GET", one, { as: owner });
      const back = { config: json.config, authorization_header: json.authorization_header, active: true };
      const { status, json: edited, text } = await api.call("PATCH", one, { as: owner, body: back });
      expect([status, edited.active, edited.url]).toEqual([200, true, masked]);
      expect(text).not.toMatch(/hunter2|swordfish|Bearer abc/);
      expect(await read()).toEqual({ url, secret: "s", authorizationHeader: "Bearer abc" });
    });

    it("200: sent elsewhere by its repository's administrator it takes no secret along, and is theirs", async () => {
      const { one, read } = await makeCopy();
      const elsewhere = "https://mine.example/?key=own";
      const moved = await api.call("PATCH", one, { as: owner, body: { config: { url: elsewhere } } });
      expect([moved.status, moved.json.url, moved.json.authorization_header]).toEqual([200, elsewhere, ""]);
      expect(await read()).toEqual({ url: elsewhere, secret: "", authorizationHeader: "" });
      const kept = await makeCopy();
      const given = { config: { url: elsewhere, secret: "own" }, authorization_header: "Bearer own" };
      await api.call("PATCH", kept.one, { as: owner, body: given });
      expect(await kept.read()).toEqual({ url: elsewhere, secret: "own", authorizationHeader: "Bearer own" });
      const byBoss = await makeCopy();
      await api.call("PATCH", byBoss.one, { as: boss, body: { config: { url: elsewhere } } });
      expect(await byBoss.read()).toEqual({ url: elsewhere, secret: "s", authorizationHeader: "Bearer abc" });
      expect((await api.call("GET", byBoss.one, { as: owner })).json.authorization_header).toBe("********");
    });

    it("201: copies of a copy, for a repository made of a template, are masked alike", async () => {
      const { path } = await makeCopy();
      const template = path.replace(/\/hooks$/, "");
      await api.call("PATCH", template, { as: owner, body: { template: true } });
      const asked = { owner: "olga", name: `of-${made}`, webhooks: true };
      const { status, json } = await api.call("POST", `${template}/generate`, { as: owner, body: asked });
      expect(status).toBe(201);
      const { text } = await api.call("GET", `/repos/${json.full_name}/hooks`, { as: owner });
      expect(JSON.parse(text)).toMatchObject([{ url: masked, authorization_header: "********" }]);
    });
  });

  it("422 for the 21st of those: each is written with each new repository", async () => {
    const statuses: number[] = [];
    const made: number[] = [];
    for (let count = 0; count < 21; count += 1) {
      const { status, json } = await api.call("POST", "/admin/hooks", { as: boss, body: asDefault("false") });
      statuses.push(status);
      if (status === 201) made.push(json.id);
    }
    expect(statuses).toEqual([...Array(20).fill(201), 422]);
    const body = { name: "many-hooks", auto_init: true, issue_labels: "Advanced" };
    expect((await api.call("POST", "/orgs/acme/repos", { as: owner, body })).status).toBe(201);
    for (const id of made) await api.call("DELETE", `/admin/hooks/${id}`, { as: boss });
  });
});

describe("hooks and the end of their owner", () => {
  it("go with the organization, with the records of their deliveries; none comes to one that is gone", async () => {
    await makeOrganization(api, owner, "brief");
    const { id } = (await api.call("GET", "/orgs/brief", { as: owner })).json;
    const parent = { kind: "organization", id } as const;
    const settings = { type: "gitea", url: config.url, contentType: "json" };
    const hook = await createHook(api.forge, parent, settings);
    await api.forge.table.write({ put: { pk: `DLV#${hook.id}`, sk: "0", _v: 1 } });
    expect((await api.call("DELETE", "/orgs/brief", { as: owner })).status).toBe(204);
    await expect(createHook(api.forge, parent, settings)).rejects.toMatchObject({ code: "not-found" });
    await runToEnd({ organizationId: id, formerNames: [] });
    expect(await listHooks(api.forge, parent)).toEqual([]);
    expect(await api.forge.table.get({ pk: `DLV#${hook.id}`, sk: "0" })).toBeUndefined();
  });

  it("leaves a table in which nothing is wrong", async () => {
    const findings = [];
    for await (const finding of checkTable(api.forge)) findings.push(finding);
    expect(findings.filter(({ invariant }) => invariant !== 20)).toEqual([]);
  });
});

/** Every step of the job that clears up after an organization. */
async function runToEnd(args: Parameters<typeof forgetOrganization.step>[1]): Promise<void> {
  let step = await forgetOrganization.step(api.forge, args, undefined);
  while (!("done" in step)) step = await forgetOrganization.step(api.forge, args, step.cursor);
}
