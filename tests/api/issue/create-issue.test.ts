import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, setRepository, type TestRepository } from "../repository/make.ts";
import { openIssue, withScopes } from "./make.ts";

let api: TestApi;
let owner: Caller;
let reader: Caller;
let admin: Caller;
let open: TestRepository;
let hidden: TestRepository;

beforeAll(async () => {
  api = await makeApi();
  [owner, reader, admin] = await Promise.all([
    api.makeUser({ name: "Olga" }),
    api.makeUser({ name: "rita" }),
    api.makeUser({ name: "boss", isAdmin: true }),
  ]);
  open = await makeRepository(api, owner);
  hidden = await makeRepository(api, owner, { isPrivate: true });
});
afterAll(() => api.stop());

const create = (where: TestRepository, body: object, as?: Caller) =>
  api.call("POST", `${where.path}/issues`, { as, body });

describe("issueCreateIssue", () => {
  it("201: a reader opens an issue and gets all of its fields (OP-issueCreateIssue, RES-Issue)", async () => {
    const answer = await create(open, { title: "Löwe 🦁", body: "a\r\nb", ref: "main" }, reader);
    expect(answer.status).toBe(201);
    const root = api.forge.config.rootUrl;
    const page = `${root}/Olga/${open.repository.name}/issues/${answer.json.number}`;
    expect(answer.json).toMatchObject({
      url: `${root}/api/v1${open.path}/issues/${answer.json.number}`,
      html_url: page,
      title: "Löwe 🦁",
      body: "a\r\nb",
      ref: "main",
      user: { login: "rita" },
      original_author: "",
      original_author_id: 0,
      assets: [],
      labels: [],
      milestone: null,
      assignee: null,
      assignees: [],
      state: "open",
      is_locked: false,
      comments: 0,
      created_at: "2030-01-02T03:04:05Z",
      updated_at: "2030-01-02T03:04:05Z",
      closed_at: null,
      due_date: null,
      pull_request: null,
      pin_order: 0,
      repository: {
        id: open.repository.id,
        name: open.repository.name,
        owner: "Olga",
        full_name: `Olga/${open.repository.name}`,
      },
    });
  });

  it("201: numbers count up from 1 in each repository; ids are unique everywhere (D-NUMBER)", async () => {
    const [one, other] = [await makeRepository(api, owner), await makeRepository(api, owner)];
    const issues = [];
    for (const where of [one, one, other, one]) issues.push(await openIssue(api, where, reader));
    expect(issues.map((issue) => issue.number)).toEqual([1, 2, 1, 3]);
    expect(new Set(issues.map((issue) => issue.id)).size).toBe(4);
  });

  it("201: a refused request before it leaves the numbers as they were", async () => {
    const where = await makeRepository(api, owner);
    await create(where, { title: "" }, reader);
    await create(where, { title: "x".repeat(256) }, reader);
    expect((await openIssue(api, where, reader)).number).toBe(1);
  });

  it("201: opens an issue that is closed at once", async () => {
    const answer = await create(open, { title: "done already", closed: true }, reader);
    expect(answer.json).toMatchObject({ state: "closed", closed_at: "2030-01-02T03:04:05Z" });
  });

  it("201: the due date of a writer is kept, that of a reader ignored", async () => {
    const body = { title: "due", due_date: "2030-05-01T08:00:00+02:00" };
    expect((await create(open, body, owner)).json.due_date).toBe("2030-05-01T06:00:00Z");
    expect((await create(open, body, reader)).json.due_date).toBeNull();
  });

  it("201: keys match whatever their case, null stands for absent, unknown keys are ignored", async () => {
    const answer = await create(open, { Title: "cased", BODY: "text", ref: null, labels: [7] }, reader);
    expect(answer.json).toMatchObject({ title: "cased", body: "text", ref: "", labels: [] });
  });

  it("201: the owner and a site administrator open issues in a private repository", async () => {
    expect((await create(hidden, { title: "mine" }, owner)).status).toBe(201);
    expect((await create(hidden, { title: "theirs" }, admin)).status).toBe(201);
  });

  it("401: anonymous; 404 when the repository is hidden from the caller", async () => {
    expect((await create(open, { title: "no" })).status).toBe(401);
    expect((await create(hidden, { title: "no" })).status).toBe(404);
  });

  it("403: a token without write:issue, and the message names it", async () => {
    const limited = await withScopes(api, reader, ["read:issue", "write:repository"]);
    const answer = await create(open, { title: "no" }, limited);
    expect(answer.status).toBe(403);
    expect(answer.json.message).toContain("write:issue");
  });

  it("404: a caller who may not see the repository, worded as an absent one", async () => {
    const answer = await create(hidden, { title: "no" }, reader);
    expect(answer.status).toBe(404);
    expect(answer.json.errors).toEqual([`repository does not exist [Olga/${hidden.repository.name}]`]);
  });

  it("404: issues are switched off", async () => {
    const where = await makeRepository(api, owner);
    await setRepository(api, where, { units: ["code", "pulls"] });
    expect((await create(where, { title: "no" }, owner)).status).toBe(404);
  });

  it("422: without a title, or with an empty one, naming it", async () => {
    for (const body of [{}, { title: "" }, { title: "  \t" }, { body: "text alone" }]) {
      const answer = await create(open, body, reader);
      expect([answer.status, answer.json.message]).toEqual([422, "[Title]: Required"]);
    }
  });

  it("422: texts over their bounds, naming them; at the bound they are taken (D-TEXT)", async () => {
    const emoji = "🦁";
    const tooLong = [
      [{ title: "x".repeat(256) }, "[Title]: MaxSize: at most 255 characters"],
      [{ title: "t", body: "x".repeat(65_537) }, "[Body]: MaxSize: at most 65536 characters"],
      [{ title: "t", body: emoji.repeat(49_153) }, "[Body]: MaxSize: at most 196608 bytes of UTF-8"],
    ] as const;
    for (const [body, message] of tooLong) {
      const answer = await create(open, body, reader);
      expect([answer.status, answer.json.message]).toEqual([422, message]);
    }
    const longest = { title: emoji.repeat(255), body: emoji.repeat(49_152) };
    const answer = await create(open, longest, reader);
    expect(answer.status).toBe(201);
    const read = await api.call("GET", `${open.path}/issues/${answer.json.number}`);
    expect(read.json).toMatchObject(longest);
  });

  it("422: malformed JSON, a title of another type, a date that is none", async () => {
    const malformed = await api.call("POST", `${open.path}/issues`, {
      as: reader,
      raw: '{"title":',
      headers: { "content-type": "application/json" },
    });
    expect(malformed.status).toBe(422);
    expect((await create(open, { title: 5 }, reader)).status).toBe(422);
    expect((await create(open, { title: "t", due_date: "soon" }, reader)).status).toBe(422);
  });

  it("423: the repository is archived; anonymous callers are told to log in first", async () => {
    const where = await makeRepository(api, owner);
    await setRepository(api, where, { isArchived: true });
    expect((await create(where, { title: "no" }, owner)).status).toBe(423);
    expect((await create(where, { title: "no" })).status).toBe(401);
  });
});
