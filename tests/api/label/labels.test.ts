import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openIssue } from "#tests/api/issue/make";
import { makeOrganization } from "#tests/api/organization/make";
import { makeRepository, type TestRepository } from "#tests/api/repository/make";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { holdTimeStill } from "#tests/support/still-time";

let api: TestApi;
let owner: Caller;
let outsider: Caller;
let where: TestRepository;

beforeAll(async () => {
  api = await makeApi();
  [owner, outsider] = [await api.makeUser({ name: "olga" }), await api.makeUser({ name: "otto" })];
});
beforeEach(async () => {
  where = await makeRepository(api, owner);
});
afterAll(() => api.stop());

const create = (body: object, as: Caller = owner) =>
  api.call("POST", `${where.path}/labels`, { as, body: { color: "#0000ff", ...body } });
const list = (query = "") => api.call("GET", `${where.path}/labels${query}`);
const names = async (query = "") => (await list(query)).json.map((one: { name: string }) => one.name);

describe("issueCreateLabel", () => {
  it("201: colours of three or six digits, with or without #, are shown as six without it (OP-issueCreateLabel, RES-Label)", async () => {
    const answer = await create({ name: "bug", color: "#AbC", description: "broken", exclusive: true });
    expect(answer.status).toBe(201);
    const { id } = answer.json;
    expect(answer.json).toEqual({
      id,
      name: "bug",
      color: "aabbcc",
      description: "broken",
      exclusive: true,
      is_archived: false,
      url: expect.stringMatching(new RegExp(`/api/v1${where.path}/labels/${id}$`)),
    });
    expect((await create({ name: "plain", color: "00FF7f" })).json.color).toBe("00ff7f");
  });

  it("201: a name may stand twice", async () => {
    expect([(await create({ name: "x" })).status, (await create({ name: "x" })).status]).toEqual([201, 201]);
  });

  it.each([
    { name: "x", color: "#12345g" },
    { name: "x", color: "1234" },
    { name: "", color: "123456" },
    { name: "x".repeat(256) },
    { name: "x", description: "d".repeat(65_537) },
  ])("422: %o", async (body) => {
    expect((await create(body)).status).toBe(422);
    expect((await list()).json).toEqual([]);
  });

  it("403 for readers, 401 for nobody", async () => {
    expect((await create({ name: "x" }, outsider)).status).toBe(403);
    const anonymous = await api.call("POST", `${where.path}/labels`, { body: { name: "x", color: "fff" } });
    expect(anonymous.status).toBe(401);
  });
});

describe("issueListLabels", () => {
  it("200: by name, all of them unless a page is asked for (OP-issueListLabels, D-PAGING)", async () => {
    for (let number = 40; number > 0; number -= 1) await create({ name: `l${10 + number}` });
    const whole = await list();
    expect(whole.json).toHaveLength(40);
    expect(whole.headers.get("x-total-count")).toBe("40");
    const sorted = whole.json.map((one: { name: string }) => one.name);
    expect(sorted).toEqual([...sorted].sort());
    expect(await names("?page=2&limit=30")).toEqual(sorted.slice(30));
    expect(await names("?sort=reversealphabetically")).toEqual([...sorted].reverse());
    expect(await names("?sort=sideways")).toEqual(sorted);
  });

  it("200: by use, the open and the closed, equal ones by name; an organization's over its repositories", async () => {
    const ids = await Promise.all(["a", "b", "c"].map(async (name) => (await create({ name })).json.id));
    await makeOrganization(api, owner, "users-of-labels");
    const guild = "/orgs/users-of-labels";
    const shared = await Promise.all(
      ["x", "y"].map(async (name) => {
        const body = { name, color: "abcdef" };
        return (await api.call("POST", `${guild}/labels`, { as: owner, body })).json.id;
      }),
    );
    await openIssue(api, where, owner, { labels: [ids[1], ids[2]] });
    await openIssue(api, where, owner, { labels: [ids[2]], closed: true });
    for (const name of ["one", "two"]) {
      await api.call("POST", `${guild}/repos`, { as: owner, body: { name } });
      const place = { path: `/repos/users-of-labels/${name}` } as TestRepository;
      await openIssue(api, place, owner, { labels: name === "one" ? shared : [shared[1]] });
    }
    expect(await names("?sort=mostissues")).toEqual(["c", "b", "a"]);
    expect(await names("?sort=leastissues&limit=2")).toEqual(["a", "b"]);
    const ofGuild = async (sort: string) =>
      (await api.call("GET", `${guild}/labels?sort=${sort}`)).json.map((one: { name: string }) => one.name);
    expect([await ofGuild("mostissues"), await ofGuild("leastissues")]).toEqual([
      ["y", "x"],
      ["x", "y"],
    ]);
  });
});

describe("issueGetLabel", () => {
  it("200: by id, or by name where that is no number (OP-issueGetLabel)", async () => {
    const made = (await create({ name: "kind/bug" })).json;
    expect((await api.call("GET", `${where.path}/labels/${made.id}`)).json).toEqual(made);
    expect((await api.call("GET", `${where.path}/labels/kind%2Fbug`)).json).toEqual(made);
    expect((await api.call("GET", `${where.path}/labels/kind/bug`)).json).toEqual(made); // D-RAWPATH
  });

  it("404: unknown ones, and those of another repository", async () => {
    const { id } = (await create({ name: "mine" })).json;
    const other = await makeRepository(api, owner);
    for (const label of [id, "mine", "0", "99999"]) {
      expect((await api.call("GET", `${other.path}/labels/${label}`)).status).toBe(404);
    }
  });
});

describe("issueEditLabel", () => {
  const edit = (id: number | string, body: object, as: Caller = owner) =>
    api.call("PATCH", `${where.path}/labels/${id}`, { as, body });

  it("200: changes what is given alone; is_archived stays when it is absent (OP-issueEditLabel)", async () => {
    const made = (await create({ name: "old", description: "text", is_archived: true })).json;
    const answer = await edit(made.id, { name: "new", color: "fff" });
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({ ...made, name: "new", color: "ffffff" });
    expect((await edit(made.id, { is_archived: false })).json.is_archived).toBe(false);
  });

  it("200: 20 edits at once all land (OP-issueEditLabel)", async () => {
    holdTimeStill();
    const { id } = (await create({ name: "busy" })).json;
    const names = Array.from({ length: 20 }, (_, at) => `busy ${at}`);
    const answers = await Promise.all(names.map((name) => edit(id, { name })));
    expect(answers.map(({ status, json }) => [status, json.name])).toEqual(names.map((name) => [200, name]));
  });

  it("422 for a colour that is none, 404 for an unknown label, 403 for readers", async () => {
    const { id } = (await create({ name: "x" })).json;
    expect((await edit(id, { color: "red" })).status).toBe(422);
    expect((await edit(id + 1, {})).status).toBe(404);
    expect((await edit(id, { name: "y" }, outsider)).status).toBe(403);
    expect(await names()).toEqual(["x"]);
  });
});

describe("issueDeleteLabel", () => {
  it("204, also when it is gone already; 403 for readers (OP-issueDeleteLabel)", async () => {
    const { id } = (await create({ name: "x" })).json;
    const remove = (as: Caller) => api.call("DELETE", `${where.path}/labels/${id}`, { as });
    expect((await remove(outsider)).status).toBe(403);
    expect((await remove(owner)).status).toBe(204);
    expect((await remove(owner)).status).toBe(204);
    expect(await names()).toEqual([]);
  });
});

describe("a label's name in the place of its id (D-IDS)", () => {
  const call = (method: string, name: string, body?: object) =>
    api.call(method, `${where.path}/labels/${name}`, { as: owner, body });

  it("200, 204: edits and deletes it; 404 for a name of none; 422 for a name of several, which stay (issueEditLabel, issueDeleteLabel)", async () => {
    await create({ name: "kind/bug" });
    const edited = await call("PATCH", "kind%2Fbug", { name: "defect" });
    expect([edited.status, edited.json.name]).toEqual([200, "defect"]);
    expect((await call("DELETE", "kind/bug")).status).toBe(404);
    expect((await call("DELETE", "defect")).status).toBe(204);
    for (const name of ["twin", "twin"]) await create({ name });
    expect((await call("PATCH", "twin", { name: "x" })).status).toBe(422);
    expect((await call("DELETE", "twin")).status).toBe(422);
    expect(await names()).toEqual(["twin", "twin"]);
  });
});

describe("labels of an organization", () => {
  const body = { name: "shared", color: "123456" };
  let org: string;
  let path: string;
  let made: { id: number; url: string };
  beforeEach(async () => {
    org = `org-${where.repository.id}`;
    await makeOrganization(api, owner, org);
    made = (await api.call("POST", `/orgs/${org}/labels`, { as: owner, body })).json;
    path = `/orgs/${org}/labels/${made.id}`;
  });

  describe("orgCreateLabel", () => {
    it("201 for owners, 403 for others, 422 for a colour that is none", async () => {
      expect(made.url).toMatch(new RegExp(`/api/v1${path}$`));
      const call = (as: Caller, given: object) =>
        api.call("POST", `/orgs/${org}/labels`, { as, body: given });
      expect((await call(outsider, body)).status).toBe(403);
      expect((await call(owner, { name: "x", color: "red" })).status).toBe(422);
    });
  });

  it("422: a name of several, which stay (orgEditLabel, orgDeleteLabel)", async () => {
    await api.call("POST", `/orgs/${org}/labels`, { as: owner, body });
    const call = (method: string) =>
      api.call(method, `/orgs/${org}/labels/shared`, { as: owner, ...(method === "PATCH" && { body }) });
    for (const method of ["PATCH", "DELETE"]) expect((await call(method)).status).toBe(422);
    expect((await api.call("GET", `/orgs/${org}/labels`)).json).toHaveLength(2);
  });

  describe("orgListLabels", () => {
    it("200 for everybody who sees the organization", async () => {
      expect((await api.call("GET", `/orgs/${org}/labels`)).json).toEqual([made]);
      expect((await list()).json).toEqual([]);
    });
  });

  describe("orgGetLabel", () => {
    it("200 by id or name, 401 without a login, 404 where there is none", async () => {
      expect((await api.call("GET", path)).status).toBe(401);
      expect((await api.call("GET", path, { as: outsider })).json).toEqual(made);
      expect((await api.call("GET", `/orgs/${org}/labels/shared`, { as: outsider })).json).toEqual(made);
      expect((await api.call("GET", `/orgs/${org}/labels/other`, { as: outsider })).status).toBe(404);
    });
  });

  describe("orgEditLabel", () => {
    it("200 for owners, 403 for others", async () => {
      expect((await api.call("PATCH", path, { as: outsider, body })).status).toBe(403);
      const answer = await api.call("PATCH", path, { as: owner, body: { name: "all" } });
      expect(answer.json).toEqual({ ...made, name: "all" });
    });
  });

  describe("orgDeleteLabel", () => {
    it("204 for owners, 403 for others, 404 where there is none", async () => {
      expect((await api.call("DELETE", path, { as: outsider })).status).toBe(403);
      expect((await api.call("DELETE", path, { as: owner })).status).toBe(204);
      expect((await api.call("DELETE", path, { as: owner })).status).toBe(404);
    });
  });
});
