import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, type TestRepository } from "../repository/make.ts";
import { openIssue } from "./make.ts";

let api: TestApi;
let owner: Caller;
let outsider: Caller;
let where: TestRepository;

beforeAll(async () => {
  api = await makeApi();
  owner = await api.makeUser({ name: "olga" });
  await api.makeUser({ name: "willa" });
  outsider = await api.makeUser({ name: "otto" });
});
beforeEach(async () => {
  where = await makeRepository(api, owner);
  await api.call("PUT", `${where.path}/collaborators/willa`, { as: owner, body: { permission: "write" } });
});
afterAll(() => api.stop());

const edit = (body: object, as: Caller = owner) => api.call("PATCH", `${where.path}/issues/1`, { as, body });
const logins = (json: { assignees: { login: string }[] }) => json.assignees.map(({ login }) => login);
const assignedTo = async (name: string) =>
  (await api.call("GET", `${where.path}/issues?assigned_by=${name}`)).json.map(
    (one: { number: number }) => one.number,
  );

describe("assignees of an issue", () => {
  it("201: given on creation by writers, replaced by an edit, found by the list (OP-issueCreateIssue, OP-issueEditIssue)", async () => {
    const made = await openIssue(api, where, owner, { assignee: "willa", assignees: ["OLGA", "willa"] });
    expect(logins(made)).toEqual(["olga", "willa"]);
    expect(made.assignee.login).toBe("olga");
    expect(await assignedTo("willa")).toEqual([1]);
    const edited = (await edit({ assignees: ["olga"] })).json;
    expect(logins(edited)).toEqual(["olga"]);
    expect(await assignedTo("willa")).toEqual([]);
    expect(logins((await edit({ assignees: [] })).json)).toEqual([]);
    expect((await edit({ assignee: "willa" })).json.assignee.login).toBe("willa");
  });

  it("201: ignored when the caller may not write issues", async () => {
    expect(logins(await openIssue(api, where, outsider, { assignees: ["olga"] }))).toEqual([]);
    expect(logins((await edit({ title: "t", assignees: ["olga"] }, outsider)).json)).toEqual([]);
  });

  it("422: nobody's name, and users who may not write; no number is used up", async () => {
    for (const assignees of [["nobody"], ["otto"], ["olga", "otto"]]) {
      const body = { title: "t", assignees };
      expect((await api.call("POST", `${where.path}/issues`, { as: owner, body })).status).toBe(422);
    }
    const names = Array.from({ length: 11 }, (_, at) => `user${at}`);
    const answer = await api.call("POST", `${where.path}/issues`, {
      as: owner,
      body: { title: "t", assignees: names },
    });
    expect(answer.json.message).toContain("at most 10");
    expect((await openIssue(api, where, owner)).number).toBe(1);
  });

  it("404: a list of what is assigned to nobody that there is", async () => {
    expect((await api.call("GET", `${where.path}/issues?assigned_by=nobody`)).status).toBe(404);
  });
});
