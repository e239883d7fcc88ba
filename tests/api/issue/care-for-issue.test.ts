import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { defined } from "#core/defined";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, type TestRepository } from "../repository/make.ts";
import { addComment, openIssue, timelineOf } from "./make.ts";

let api: TestApi;
let owner: Caller;
let writer: Caller;
let author: Caller;
let where: TestRepository;

beforeAll(async () => {
  api = await makeApi();
  owner = await api.makeUser({ name: "olga" });
  writer = await api.makeUser({ name: "willa" });
  author = await api.makeUser({ name: "arno" });
});
beforeEach(async () => {
  where = await makeRepository(api, owner);
  await api.call("PUT", `${where.path}/collaborators/willa`, { as: owner, body: { permission: "write" } });
  await openIssue(api, where, author);
});
afterAll(() => api.stop());

const on = (method: string, path: string, as: Caller | undefined, body?: object) =>
  api.call(method, `${where.path}/issues/1${path}`, { as, ...defined({ body }) });
const issue = async () => (await on("GET", "", undefined)).json;
const logins = (json: { assignees: { login: string }[] }) => json.assignees.map(({ login }) => login);
const told = async () =>
  (await timelineOf(api, where, 1)).map(({ type, body, isRemoval }) => [type, body, isRemoval === true]);

describe("issueAddAssignees", () => {
  it("201 and 200: adds to and takes from those that there are, each told once", async () => {
    expect(logins((await on("POST", "/assignees", writer, { assignees: ["WILLA"] })).json)).toEqual([
      "willa",
    ]);
    const both = await on("POST", "/assignees", writer, { assignees: ["olga", "willa"] });
    expect([both.status, logins(both.json)]).toEqual([201, ["olga", "willa"]]);
    const left = await on("DELETE", "/assignees", owner, { assignees: ["willa", "arno"] });
    expect([left.status, logins(left.json)]).toEqual([200, ["olga"]]);
    expect(logins(await issue())).toEqual(["olga"]);
    expect(await told()).toEqual([
      ["assignees", "", false],
      ["assignees", "", false],
      ["assignees", "", true],
    ]);
  });

  it("422: nobody's name, who may not write, more than ten in all; nothing is changed", async () => {
    for (const assignees of [["nobody"], ["olga", "arno"], Array.from({ length: 11 }, (_, at) => `u${at}`)]) {
      expect((await on("POST", "/assignees", owner, { assignees })).status).toBe(422);
    }
    expect(await issue()).toMatchObject({ assignees: [] });
  });

  it("403: the author alone may not; 404: an issue that is not there; 423: an archived repository", async () => {
    const body = { assignees: ["olga"] };
    expect((await on("POST", "/assignees", author, body)).status).toBe(403);
    const absent = await api.call("POST", `${where.path}/issues/9/assignees`, { as: owner, body });
    expect(absent.status).toBe(404);
    await api.call("PATCH", where.path, { as: owner, body: { archived: true } });
    expect((await on("POST", "/assignees", owner, body)).status).toBe(423);
  });

  it("201: of two at once none is lost", async () => {
    const both = ["olga", "willa"].map((name) => on("POST", "/assignees", owner, { assignees: [name] }));
    expect((await Promise.all(both)).map(({ status }) => status)).toEqual([201, 201]);
    expect(logins(await issue())).toEqual(["olga", "willa"]);
  });
});

describe("issueRemoveAssignees", () => {
  it("422: nobody's name; 403: the author alone; 423: an archived repository", async () => {
    expect((await on("DELETE", "/assignees", owner, { assignees: ["nobody"] })).status).toBe(422);
    const body = { assignees: ["olga"] };
    expect((await on("DELETE", "/assignees", author, body)).status).toBe(403);
    await api.call("PATCH", where.path, { as: owner, body: { archived: true } });
    expect((await on("DELETE", "/assignees", owner, body)).status).toBe(423);
  });
});

describe("issueCheckAssignee", () => {
  it("204 for users who could be assigned, 404 without a body for others (D-CHECK), 404 for no issue", async () => {
    expect((await on("GET", "/assignees/willa", undefined)).status).toBe(204);
    for (const name of ["arno", "nobody"]) {
      const answer = await on("GET", `/assignees/${name}`, undefined);
      expect([answer.status, answer.text]).toEqual([404, ""]);
    }
    expect((await api.call("GET", `${where.path}/issues/9/assignees/willa`)).status).toBe(404);
  });
});

describe("issueEditIssueDeadline", () => {
  it("201: the end of that day in its own offset; null and the unset time clear it; each told", async () => {
    const set = await on("POST", "/deadline", writer, { due_date: "2030-05-01T08:00:00+02:00" });
    expect([set.status, set.json]).toEqual([201, { due_date: "2030-05-01T21:59:59Z" }]);
    expect((await issue()).due_date).toBe("2030-05-01T21:59:59Z");
    await on("POST", "/deadline", writer, { due_date: "2030-05-02T08:00:00Z" });
    const cleared = await on("POST", "/deadline", writer, { due_date: null });
    expect([cleared.status, cleared.json]).toEqual([201, { due_date: null }]);
    await on("POST", "/deadline", writer, { due_date: "0001-01-01T00:00:00Z" });
    expect(await told()).toEqual([
      ["added_deadline", "2030-05-01", false],
      ["modified_deadline", "2030-05-02|2030-05-01", false],
      ["removed_deadline", "2030-05-02", false],
    ]);
  });

  it("422: a date that is none; 403: the author alone; 404: no such issue", async () => {
    expect((await on("POST", "/deadline", owner, { due_date: "tomorrow" })).status).toBe(422);
    expect((await on("POST", "/deadline", author, { due_date: null })).status).toBe(403);
    const body = { due_date: null };
    const absent = await api.call("POST", `${where.path}/issues/9/deadline`, { as: owner, body });
    expect(absent.status).toBe(404);
  });
});

describe("issueLockIssue", () => {
  it("204: also when it is so already; told once, with the reason", async () => {
    for (const reason of ["Spam", "Resolved"]) {
      expect((await on("PUT", "/lock", writer, { lock_reason: reason })).status).toBe(204);
    }
    expect((await issue()).is_locked).toBe(true);
    for (const _again of [1, 2]) expect((await on("DELETE", "/lock", writer)).status).toBe(204);
    expect((await issue()).is_locked).toBe(false);
    expect((await on("PUT", "/lock", writer)).status).toBe(204);
    expect(await told()).toEqual([
      ["lock", "Spam", false],
      ["unlock", "", false],
      ["lock", "", false],
    ]);
  });

  it("403: comments and edits by callers who may not write, until it is unlocked; writers go on", async () => {
    const { id } = await addComment(api, where, 1, author);
    await on("PUT", "/lock", owner, {});
    const comment = (as: Caller) => on("POST", "/comments", as, { body: "More" });
    const editComment = (as: Caller) =>
      api.call("PATCH", `${where.path}/issues/comments/${id}`, { as, body: { body: "Changed" } });
    const edit = (as: Caller) => on("PATCH", "", as, { title: "Changed", state: "closed" });
    for (const write of [comment, editComment, edit]) expect((await write(author)).status).toBe(403);
    expect(await issue()).toMatchObject({ title: "An issue", state: "open", comments: 1 });
    for (const write of [comment, editComment, edit]) expect((await write(writer)).status).toBeLessThan(300);
    await on("DELETE", "/lock", owner);
    expect((await comment(author)).status).toBe(201);
  });

  it("422: a reason that is not one of the known; 403: the author alone; 404: no such issue", async () => {
    const answer = await on("PUT", "/lock", owner, { lock_reason: "Boring" });
    expect(answer.status).toBe(422);
    expect(answer.json.message).toContain("Off-topic");
    expect((await on("PUT", "/lock", author, { lock_reason: "Boring" })).status).toBe(403);
    expect((await api.call("PUT", `${where.path}/issues/9/lock`, { as: owner })).status).toBe(404);
    expect((await issue()).is_locked).toBe(false);
  });
});

describe("issueUnlockIssue", () => {
  it("403: the author alone, and it stays locked; 404: no such issue", async () => {
    await on("PUT", "/lock", owner);
    expect((await on("DELETE", "/lock", author)).status).toBe(403);
    expect((await issue()).is_locked).toBe(true);
    expect((await api.call("DELETE", `${where.path}/issues/9/lock`, { as: owner })).status).toBe(404);
  });
});
