import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { newEntry } from "#core/comment/comment.table";
import { defined } from "#core/defined";
import { type Issue, issueKey } from "#core/issue/issue.table";
import { put } from "#core/table/write";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { addComment, openIssue } from "../issue/make.ts";
import { makeRepository, type TestRepository } from "../repository/make.ts";

let api: TestApi;
let owner: Caller;
let outsider: Caller;
let where: TestRepository;

beforeAll(async () => {
  api = await makeApi();
  owner = await api.makeUser({ name: "olga" });
  outsider = await api.makeUser({ name: "otto" });
});
beforeEach(async () => {
  where = await makeRepository(api, owner);
  await openIssue(api, where, owner, { title: "Before" });
});
afterAll(() => api.stop());

const list = (query = "", as: Caller | undefined = owner) =>
  api.call("GET", `${where.path}/issues/1/timeline${query}`, { as });
const entries = async (query = "") => (await list(query)).json;
const edit = (body: object) => api.call("PATCH", `${where.path}/issues/1`, { as: owner, body });
const make = async (path: string, body: object) =>
  (await api.call("POST", `${where.path}${path}`, { as: owner, body })).json;

describe("issueGetCommentsAndTimeline", () => {
  it("200: every kind of change in order, each with what it is about (semantics §48)", async () => {
    const label = await make("/labels", { name: "bug", color: "ff0000" });
    const milestone = await make("/milestones", { title: "m" });
    const comment = await addComment(api, where, 1, outsider, "hello");
    await edit({ title: "After" });
    await make("/issues/1/labels", { labels: [label.id] });
    await edit({ milestone: milestone.id });
    await edit({ milestone: 0 });
    await edit({ assignees: ["olga"] });
    await edit({ assignees: [] });
    await edit({ ref: "main" });
    await make("/issues/1/deadline", { due_date: "2030-05-01T00:00:00Z" });
    await make("/issues/1/pin", {});
    await api.call("PUT", `${where.path}/issues/1/lock`, { as: owner, body: { lock_reason: "Spam" } });
    await edit({ state: "closed" });
    await edit({ state: "open" });
    const all = await entries();
    expect(all).toMatchObject([
      { type: "comment", id: comment.id, body: "hello", user: { login: "otto" }, label: null },
      { type: "change_title", old_title: "Before", new_title: "After", user: { login: "olga" } },
      { type: "label", body: "1", label: { name: "bug" } },
      { type: "milestone", milestone: { title: "m" }, old_milestone: null },
      { type: "milestone", milestone: null, old_milestone: { title: "m" } },
      { type: "assignees", assignee: { login: "olga" }, removed_assignee: false },
      { type: "assignees", assignee: { login: "olga" }, removed_assignee: true },
      { type: "change_issue_ref", old_ref: "", new_ref: "main" },
      { type: "added_deadline", body: "2030-05-01" },
      { type: "pin", body: "" },
      { type: "lock", body: "Spam" },
      { type: "close", ref_commit_sha: "" },
      { type: "reopen", tracked_time: null },
    ]);
    expect(all[0].html_url).toMatch(new RegExp(`/issues/1#issuecomment-${comment.id}$`));
    expect(all[1]).toMatchObject({ pull_request_url: "", issue_url: expect.stringMatching(/issues\/1$/) });
    await api.call("DELETE", `${where.path}/labels/${label.id}`, { as: owner });
    expect((await entries())[2]).toMatchObject({ type: "label", label: null });
  });

  it("200: deadlines that move and go, unlocking, unpinning, stopwatches (semantics §19.2)", async () => {
    const at = `${where.path}/issues/1`;
    const ask = async (method: string, path: string, body?: object) =>
      expect(
        (await api.call(method, `${at}${path}`, { as: owner, ...defined({ body }) })).status,
      ).toBeLessThan(300);
    await ask("POST", "/deadline", { due_date: "2030-05-01T00:00:00Z" });
    await ask("POST", "/deadline", { due_date: "2030-06-02T00:00:00Z" });
    await ask("POST", "/deadline", { due_date: null });
    await edit({ due_date: "2030-07-03T00:00:00Z" });
    await edit({ due_date: "2030-07-04T00:00:00Z" });
    await edit({ unset_due_date: true });
    await ask("PUT", "/lock", { lock_reason: "Spam" });
    await ask("DELETE", "/lock");
    await ask("POST", "/pin");
    await ask("DELETE", "/pin");
    await ask("POST", "/stopwatch/start");
    api.clock.advance(90_000);
    await ask("POST", "/stopwatch/stop");
    await ask("POST", "/stopwatch/start");
    await ask("DELETE", "/stopwatch/delete");
    const all = await entries();
    expect(all).toMatchObject([
      { type: "added_deadline", body: "2030-05-01" },
      { type: "modified_deadline", body: "2030-06-02|2030-05-01" },
      { type: "removed_deadline", body: "2030-06-02" },
      { type: "added_deadline", body: "2030-07-03" },
      { type: "modified_deadline", body: "2030-07-04|2030-07-03" },
      { type: "removed_deadline", body: "2030-07-04" },
      { type: "lock", body: "Spam" },
      { type: "unlock", body: "" },
      { type: "pin", body: "" },
      { type: "unpin", body: "" },
      { type: "start_tracking" },
      { type: "stop_tracking", tracked_time: { time: 90, user_name: "olga" } },
      { type: "start_tracking" },
      { type: "cancel_tracking", tracked_time: null },
    ]);
    for (const { user } of all) expect(user.login).toBe("olga");
    const { json } = await api.call("GET", at);
    expect(json).toMatchObject({ comments: 0, due_date: null, is_locked: false, pin_order: 0 });
  });

  it("200: paged, with the real total and links; past the end nothing (D-PAGING)", async () => {
    for (let made = 1; made <= 5; made += 1) await addComment(api, where, 1, owner, `c${made}`);
    const answer = await list("?page=2&limit=2");
    expect(answer.json.map((one: { body: string }) => one.body)).toEqual(["c3", "c4"]);
    expect(answer.headers.get("x-total-count")).toBe("5");
    expect(answer.headers.get("link")).toContain('rel="last"');
    const past = await list("?page=9&limit=2");
    expect([past.json, past.headers.get("x-total-count")]).toEqual([[], "5"]);
  });

  it("200: since and before look at the last update; 422 for what is no time", async () => {
    await addComment(api, where, 1, owner, "early");
    api.clock.advance(3_600_000);
    await addComment(api, where, 1, owner, "late");
    const time = new Date(api.clock.now() - 1_800_000).toISOString();
    const bodies = async (query: string) => (await entries(query)).map((one: { body: string }) => one.body);
    expect(await bodies(`?since=${time}`)).toEqual(["late"]);
    expect(await bodies(`?before=${time}`)).toEqual(["early"]);
    expect(await bodies("?since=2999-01-01T00:00:00Z")).toEqual([]);
    expect((await list("?since=xyz")).status).toBe(422);
  });

  it("200: what refers to it from where the caller may not read is left out, also of the total", async () => {
    const hidden = await makeRepository(api, owner, { isPrivate: true });
    await openIssue(api, hidden, owner, { title: "secret" });
    const target = await api.forge.table.get<Issue>(issueKey(where.repository.id, 1));
    const related = {
      repositoryId: hidden.repository.id,
      number: 1,
      kind: "issue",
      isReference: true,
    } as const;
    const given = { id: 9_999, type: "comment", authorId: owner.user.id, createdAt: 1, related } as const;
    await api.forge.table.write(put(newEntry(target as Issue, given)));
    expect((await entries())[0].ref_issue).toMatchObject({ title: "secret" });
    const answer = await list("", outsider);
    expect([answer.json, answer.headers.get("x-total-count")]).toEqual([[], "0"]);
  });

  it("404: no such issue, or a repository that the caller may not see", async () => {
    expect((await api.call("GET", `${where.path}/issues/9/timeline`, { as: owner })).status).toBe(404);
    const hidden = await makeRepository(api, owner, { isPrivate: true });
    await openIssue(api, hidden, owner);
    expect((await api.call("GET", `${hidden.path}/issues/1/timeline`)).status).toBe(404);
  });
});
