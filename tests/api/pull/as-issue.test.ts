import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkRepository } from "#core/lifecycle/check/check";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { sendFile } from "../attachment/make.ts";
import { join, makeOrganization, makeTeam } from "../organization/make.ts";
import { commitOn, makeBase, openPull } from "./make.ts";

/** A request is an issue, too: everything that issues have is asked of one, by its number. */
let api: TestApi;
let alice: Caller;
let bob: Caller;
let base: string;

beforeAll(async () => {
  api = await makeApi();
  [alice, bob] = [await api.makeUser({ name: "alice" }), await api.makeUser({ name: "bob" })];
  base = await makeBase(api, alice, "base");
  await api.call("POST", `${base}/issues`, { as: alice, body: { title: "An issue" } }); // 1
  await commitOn(api, base, "topic", "a", { as: alice });
  await openPull(api, base, { as: alice, title: "WIP: A request" }); // 2
  await commitOn(api, base, "other", "b", { as: alice });
  await openPull(api, base, { as: alice, head: "other" }); // 3
});
afterAll(() => api.stop());

const get = (path: string, as: Caller = alice) => api.call("GET", `${base}${path}`, { as });
const send = (line: string, body?: object, as: Caller = alice) => {
  const [method = "", path = ""] = line.split(" ");
  return api.call(method, `${base}${path}`, { as, ...(body && { body }) });
};
const listed = async (path: string) => {
  const { json, headers } = await api.call("GET", path, { as: alice });
  return [json.map(({ number }: { number: number }) => number), headers.get("x-total-count")];
};

describe("issueListIssues and issueSearchIssues, with pull requests", () => {
  it("200: lists and totals by type; pull_request tells of the draft and the merge", async () => {
    expect(await listed(`${base}/issues?type=pulls`)).toEqual([[3, 2], "2"]);
    expect(await listed(`${base}/issues?type=issues`)).toEqual([[1], "1"]);
    expect(await listed(`${base}/issues?limit=2`)).toEqual([[3, 2], "3"]);
    expect(await listed("/repos/issues/search?type=pulls&q=request")).toEqual([[2], "1"]);
    expect(await listed("/repos/issues/search?type=pulls&created=true")).toEqual([[3, 2], "2"]);
    const { json } = await api.call("GET", "/repos/issues/search?type=pulls&q=request", { as: alice });
    expect(json).toMatchObject([{ pull_request: { draft: true, merged: false, merged_at: null } }]);
    expect((await get("")).json).toMatchObject({ open_issues_count: 1, open_pr_counter: 2 });
    const { json: info } = await api.call("GET", "/nodeinfo");
    expect(info.usage).toMatchObject({ localPosts: 3 });
  });
});

describe("issueEditIssue, of a pull request", () => {
  it("201: title, draft and state; 412 while it waits for another (semantics §50); 403 for a reader", async () => {
    expect((await send("PATCH /issues/2", { title: "A request" })).json).toMatchObject({
      pull_request: { draft: false },
    });
    expect(
      (await send("POST /issues/2/dependencies", { owner: "alice", repo: "base", index: 3 })).status,
    ).toBe(201);
    expect((await send("PATCH /issues/2", { state: "closed" })).status).toBe(412);
    expect((await send("PATCH /pulls/2", { state: "closed" })).status).toBe(412);
    expect((await get("/issues/3/blocks")).json).toMatchObject([{ number: 2, pull_request: {} }]);
    expect(
      (await send("DELETE /issues/2/dependencies", { owner: "alice", repo: "base", index: 3 })).status,
    ).toBe(201);
    expect((await send("PATCH /issues/2", { state: "closed" })).status).toBe(201);
    expect((await get("/pulls/2")).json).toMatchObject({ state: "closed", mergeable: false });
    expect((await get("")).json.open_pr_counter).toBe(1);
    expect((await send("PATCH /issues/2", { state: "open" })).status).toBe(201);
    expect((await send("PATCH /issues/2", { title: "x" }, bob)).status).toBe(403);
  });
});

describe("the rest of what issues have, on a pull request", () => {
  it("issueCreateComment, issuePostIssueReaction, issuePostCommentReaction: counted, with the address of the request", async () => {
    const { json } = await send("POST /issues/2/comments", { body: "A remark" }, bob);
    expect(json).toMatchObject({ pull_request_url: expect.stringMatching(/\/pulls\/2$/), issue_url: "" });
    expect((await send("POST /issues/2/reactions", { content: "heart" }, bob)).status).toBe(201);
    expect((await send(`POST /issues/comments/${json.id}/reactions`, { content: "+1" })).status).toBe(201);
    expect((await get("/pulls/2")).json.comments).toBe(1);
    expect((await get("/issues/comments")).json).toMatchObject([{ id: json.id }]);
  });

  it("issueLockIssue, pinIssue, issueAddTime, issueAddSubscription, issueEditIssueDeadline: shown by the request", async () => {
    expect((await send("PUT /issues/2/lock", { lock_reason: "Spam" })).status).toBe(204);
    expect((await send("POST /issues/2/comments", { body: "no" }, bob)).status).toBe(403);
    expect((await get("/pulls/2")).json.is_locked).toBe(true);
    expect((await send("DELETE /issues/2/lock")).status).toBe(204);
    expect((await send("POST /issues/3/pin")).status).toBe(204);
    expect((await send("POST /issues/2/pin")).status).toBe(204);
    expect((await send("PATCH /issues/2/pin/1")).status).toBe(204);
    expect((await get("/pulls/pinned")).json).toMatchObject([{ number: 2, pin_order: 1 }, { number: 3 }]);
    expect((await send("POST /issues/2/times", { time: 60 })).status).toBe(200);
    expect((await get("/issues/2/times")).json).toMatchObject([{ time: 60, issue: { number: 2 } }]);
    expect((await send("PUT /issues/2/subscriptions/alice")).status).toBeLessThan(300);
    expect((await send("POST /issues/2/deadline", { due_date: "2030-05-01T00:00:00Z" })).status).toBe(201);
    expect((await get("/pulls/2")).json.due_date).toContain("2030-05-01");
  });

  it("issueAddLabel, milestones: one label of a scope (B-08), and milestones count requests", async () => {
    const label = async (name: string) =>
      (await send("POST /labels", { name, color: "00aabb", exclusive: true })).json.id;
    const [one, two] = [await label("kind/one"), await label("kind/two")];
    await send("POST /issues/2/labels", { labels: [one] });
    await send("POST /issues/2/labels", { labels: [two] });
    expect((await get("/pulls/2")).json.labels).toMatchObject([{ name: "kind/two" }]);
    expect((await get(`/pulls?labels=${two}`)).json).toMatchObject([{ number: 2 }]);
    const both = { status: 422, json: { message: expect.stringMatching(/kind\/one.*kind\/two/) } };
    expect(await send("PATCH /pulls/2", { labels: [one, two] })).toMatchObject(both);
    await send("POST /branches", { new_branch_name: "labelled" });
    const opened = { title: "Both", head: "labelled", base: "main", labels: [one, two] };
    expect(await send("POST /pulls", opened)).toMatchObject(both);
    const { json: milestone } = await send("POST /milestones", { title: "soon" });
    await send("PATCH /pulls/2", { milestone: milestone.id, assignees: ["alice"] });
    expect((await get(`/milestones/${milestone.id}`)).json).toMatchObject({
      open_issues: 1,
      closed_issues: 0,
    });
    expect((await get(`/pulls?milestone=${milestone.id}`)).json).toMatchObject([{ number: 2, assignee: {} }]);
  });

  it("issueCreateIssueAttachment: listed by the request", async () => {
    const { status } = await sendFile(api, `${base}/issues/2/assets`, alice, { name: "a.txt" });
    expect(status).toBe(201);
    expect((await get("/issues/2")).json.assets).toMatchObject([{ name: "a.txt" }]);
  });

  it("a text of a request that names an issue is told there as pull_ref, and !3 leads to a request (semantics §20)", async () => {
    await send("PATCH /pulls/2", { body: "Closes #1, see !3, @bob" });
    const told = async (number: number) => (await get(`/issues/${number}/timeline`)).json;
    expect(await told(1)).toMatchObject([
      { type: "pull_ref", ref_action: "closes", ref_issue: { number: 2, pull_request: { draft: false } } },
    ]);
    expect(await told(3)).toContainEqual(expect.objectContaining({ type: "pull_ref" }));
    const mentioned = await api.call("GET", "/repos/issues/search?mentioned=true&type=pulls", { as: bob });
    expect(mentioned.json).toMatchObject([{ number: 2 }]);
  });

  it("leaves data that check-data finds nothing in", async () => {
    const { json } = await get("");
    expect(await checkRepository(api.forge, json.id)).toEqual([]);
  });
});

describe("the units and states of the repository, on a pull request", () => {
  it("403 for who the owner blocks, 423 in an archived repository", async () => {
    const repository = await makeBase(api, alice, "shelved");
    await commitOn(api, repository, "topic", "a", { as: alice });
    await openPull(api, repository, { as: alice });
    const comment = { as: bob, body: { body: "Hi" } };
    await api.call("PUT", "/user/blocks/bob", { as: alice });
    expect((await api.call("POST", `${repository}/issues/1/comments`, comment)).status).toBe(403);
    await api.call("DELETE", "/user/blocks/bob", { as: alice });
    await api.call("PATCH", repository, { as: alice, body: { archived: true } });
    expect((await api.call("POST", `${repository}/issues/1/comments`, comment)).status).toBe(423);
    const opened = { as: alice, body: { title: "T", head: "topic", base: "main" } };
    expect((await api.call("POST", `${repository}/pulls`, opened)).status).toBe(423);
    const edited = { as: alice, body: { title: "n" } };
    expect((await api.call("PATCH", `${repository}/pulls/1`, edited)).status).toBe(201);
  });

  it("asks for the unit of pulls, not that of issues: members of teams with one unit of a private repository", async () => {
    await makeOrganization(api, alice, "acme");
    const at = "/repos/acme/shut";
    await api.call("POST", "/orgs/acme/repos", {
      as: alice,
      body: { name: "shut", private: true, auto_init: true },
    });
    await commitOn(api, at, "topic", "a", { as: alice });
    await openPull(api, at, { as: alice });
    const member = async (name: string, units: object) => {
      const team = await makeTeam(api, alice, "acme", name, { permission: "read", units_map: units });
      const caller = await api.makeUser({ name: `the-${name}` });
      await join(api, alice, team, caller);
      await api.call("PUT", `/teams/${team}/repos/acme/shut`, { as: alice });
      return caller;
    };
    const callers = [
      await member("pulls", { "repo.pulls": "write" }),
      await member("both", { "repo.pulls": "write", "repo.code": "read" }),
      await member("issues", { "repo.issues": "write", "repo.code": "read" }),
      await member("reader", { "repo.pulls": "read", "repo.code": "read" }),
    ];
    for (const [line, body, ...statuses] of [
      ["GET /issues/1", undefined, 200, 200, 404, 200],
      ["GET /issues/1/timeline", undefined, 200, 200, 404, 200],
      ["GET /pulls/1", undefined, 403, 200, 404, 200],
      ["GET /pulls/1/files", undefined, 403, 200, 404, 200],
      ["POST /issues/1/comments", { body: "x" }, 201, 201, 404, 201],
      ["PATCH /issues/1", { title: "x" }, 201, 201, 404, 403],
      ["PATCH /pulls/1", { title: "x" }, 403, 201, 404, 403],
      ["POST /issues/1/labels", { labels: [] }, 200, 200, 404, 403],
      ["POST /issues/1/times", { time: 5 }, 200, 200, 404, 403],
      ["PUT /issues/1/lock", {}, 204, 204, 404, 403],
      ["DELETE /issues/1/lock", undefined, 204, 204, 404, 403],
    ] as const) {
      const [method = "", path = ""] = line.split(" ");
      const answers: number[] = [];
      for (const as of callers) {
        answers.push((await api.call(method, `${at}${path}`, { as, ...(body && { body }) })).status);
      }
      expect([line, ...answers]).toEqual([line, ...statuses]);
    }
    const list = await api.call("GET", `${at}/issues`, { as: callers[2] as Caller });
    expect([list.json, list.headers.get("x-total-count")]).toEqual([[], "0"]);
  });
});
