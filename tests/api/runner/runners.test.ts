import { afterAll, beforeAll, describe, expect, it } from "vitest";
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
  for (const name of ["a", "b", "given"]) {
    expect((await api.call("POST", "/user/repos", { as: owner, body: { name } })).status).toBe(201);
  }
  await api.call("POST", "/orgs/acme/repos", { as: owner, body: { name: "a" } });
});
afterAll(() => api.stop());

const levels = [
  {
    operations: "getRepoRunners, registerRepoRunner, getRepoRunner, updateRepoRunner, deleteRepoRunner",
    path: "/repos/olga/a/actions/runners",
    elsewhere: "/repos/olga/b/actions/runners",
    by: () => owner,
    refused: 403,
  },
  {
    operations: "getOrgRunners, registerOrgRunner, getOrgRunner, updateOrgRunner, deleteOrgRunner",
    path: "/orgs/acme/actions/runners",
    elsewhere: "/repos/acme/a/actions/runners",
    by: () => owner,
    refused: 403,
  },
  {
    operations: "getUserRunners, registerUserRunner, getUserRunner, updateUserRunner, deleteUserRunner",
    path: "/user/actions/runners",
    elsewhere: "/repos/olga/a/actions/runners",
    by: () => owner,
    refused: undefined,
  },
  {
    operations: "getAdminRunners, registerAdminRunner, getAdminRunner, updateAdminRunner, deleteAdminRunner",
    path: "/admin/actions/runners",
    elsewhere: "/user/actions/runners",
    by: () => boss,
    refused: 403,
  },
] as const;

const call = (method: string, path: string, as?: Caller, body?: object) =>
  api.call(method, path, { as, ...(body === undefined ? {} : { body }) });
const ids = (rows: JsonValue[]) => rows.map(({ id }) => id);
let made = 0;
const make = async (path: string, as: Caller, more: object = {}) => {
  made += 1;
  const answer = await call("POST", path, as, { name: `runner-${made}`, ...more });
  expect(answer.status).toBe(201);
  return answer.json;
};

describe.each(levels)("$operations (semantics §60.4, §60.5)", ({ path, elsewhere, by, refused }) => {
  it("201, 200, 200, 204: is registered with a token that is shown once, shown, switched off and deleted", async () => {
    const as = by();
    const body = { name: "builder", description: "in the cellar", ephemeral: true };
    const { status, json, headers } = await call("POST", path, as, body);
    expect([status, headers.get("cache-control")]).toEqual([201, "no-store"]);
    expect(json).toEqual({
      id: expect.any(Number),
      uuid: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      token: expect.stringMatching(/^[0-9a-f]{40}$/),
    });
    const one = `${path}/${json.id}`;
    const shown = await call("GET", one, as);
    expect(shown.json).toEqual({
      ...{ id: json.id, uuid: json.uuid, ...body, version: "", labels: [] },
      ...{ owner_id: expect.any(Number), repo_id: expect.any(Number) },
      ...{ disabled: false, busy: false, status: "offline" },
    });
    expect(shown.text).not.toContain(json.token);
    const off = await call("PATCH", one, as, { disabled: true });
    expect([off.status, off.json]).toEqual([200, { ...shown.json, disabled: true }]);
    expect((await call("GET", one, as)).json).toEqual(off.json);
    expect((await call("PATCH", one, as, { disabled: false })).json).toEqual(shown.json);
    const removed = await call("DELETE", one, as);
    expect([removed.status, removed.text]).toEqual([204, ""]);
    const after = [
      await call("GET", one, as),
      await call("DELETE", one, as),
      await call("PATCH", one, as, { disabled: true }),
    ];
    expect(after.map(({ status }) => status)).toEqual([404, 404, 404]);
  });

  it("200: pages with their number; only those that are switched off, or only others", async () => {
    const as = by();
    const before = ids((await call("GET", `${path}?limit=50`, as)).json);
    const added = [await make(path, as), await make(path, as), await make(path, as)];
    await call("PATCH", `${path}/${added[1].id}`, as, { disabled: true });
    const page = await call("GET", `${path}?limit=${before.length + 2}&page=1`, as);
    expect(ids(page.json)).toEqual([...before, ...ids(added.slice(0, 2))]);
    expect(page.headers.get("x-total-count")).toBe(String(before.length + 3));
    expect(ids((await call("GET", `${path}?disabled=true`, as)).json)).toEqual([added[1].id]);
    const on = ids((await call("GET", `${path}?disabled=false`, as)).json);
    expect(on).toEqual([...before, added[0].id, added[2].id]);
  });

  it("404: a runner of another place, which stays as it is", async () => {
    const { id } = await make(path, by());
    const stranger = elsewhere.startsWith("/user") ? boss : owner;
    const there = `${elsewhere}/${id}`;
    const answers = [
      await call("GET", there, stranger),
      await call("PATCH", there, stranger, { disabled: true }),
      await call("DELETE", there, stranger),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect((await call("GET", `${path}/${id}`, by())).json).toMatchObject({ id, disabled: false });
  });

  it("422: a runner without a name, with one of another type, with 256 characters of description", async () => {
    const bodies = [
      {},
      { name: "" },
      { name: " " },
      { name: 1 },
      { name: "r", description: "d".repeat(256) },
    ];
    for (const body of bodies) expect((await call("POST", path, by(), body)).status).toBe(422);
    const { id } = await make(path, by(), { name: "ä".repeat(200) });
    expect((await call("GET", `${path}/${id}`, by())).json.name).toBe("ä".repeat(127));
    expect((await call("PATCH", `${path}/${id}`, by(), {})).status).toBe(422);
  });

  it("401: nobody; nothing of it for those who may not", async () => {
    const { id } = await make(path, by());
    const one = `${path}/${id}`;
    const statuses = async (as?: Caller) => [
      (await call("GET", path, as)).status,
      (await call("GET", one, as)).status,
      (await call("POST", path, as, { name: "theirs" })).status,
      (await call("PATCH", one, as, { disabled: true })).status,
      (await call("DELETE", one, as)).status,
    ];
    expect(await statuses()).toEqual(Array(5).fill(401));
    expect(await statuses(other)).toEqual(
      refused === undefined ? [200, 404, 201, 404, 404] : Array(5).fill(refused),
    );
    expect((await call("GET", one, by())).json).toMatchObject({ disabled: false });
  });
});

describe("visible runners", () => {
  it("200: a repository's own, its owner's and the installation's, in this order, when they are asked for", async () => {
    const own = await make("/repos/olga/b/actions/runners", owner);
    const owners = ids((await call("GET", "/user/actions/runners?limit=50", owner)).json);
    const everybodys = ids((await call("GET", "/admin/actions/runners?limit=50", boss)).json);
    const visible = await call("GET", "/repos/olga/b/actions/runners?visible=true&limit=50", owner);
    expect(ids(visible.json)).toEqual([own.id, ...owners, ...everybodys]);
    expect(ids((await call("GET", "/repos/olga/b/actions/runners", owner)).json)).toEqual([own.id]);
  });
});

describe("a repository that gets another owner", () => {
  it("switches its runners off, which are machines of the former one, until the new one lets them on", async () => {
    const { id } = await make("/repos/olga/given/actions/runners", owner);
    const body = { new_owner: "acme" };
    expect((await call("POST", "/repos/olga/given/transfer", owner, body)).status).toBe(202);
    const one = `/repos/acme/given/actions/runners/${id}`;
    expect((await call("GET", one, owner)).json).toMatchObject({ id, disabled: true });
    expect((await call("PATCH", one, owner, { disabled: false })).json).toMatchObject({ disabled: false });
    expect((await call("GET", one, owner)).json).toMatchObject({ disabled: false });
  });
});
