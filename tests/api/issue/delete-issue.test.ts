import { describe, expect, it } from "vitest";
import { issuePartition } from "#core/issue/issue.table";
import { checkRepository } from "#core/lifecycle/check/check";
import { api, author, owner, remove, useIssues, where } from "./delete-issue-world.ts";
import { addComment, emptyDeletedIssues, openIssue } from "./make.ts";

useIssues();

const get = async (path: string) => (await api.call("GET", `${where.path}${path}`, { as: owner })).json;
const numbers = async (query: string) =>
  (await get(`/issues?state=all&${query}`)).map((one: { number: number }) => one.number);

async function post(path: string, body: object, status = 201) {
  const answer = await api.call("POST", `${where.path}${path}`, { as: owner, body });
  expect(answer.status).toBe(status);
  return answer.json;
}

describe("issueDelete", () => {
  it("204: gone at once from itself, lists, search, counts, comments, pins, milestone, label uses", async () => {
    const milestone = (await post("/milestones", { title: "m" })).id;
    await openIssue(api, where, owner, { title: "stays" });
    await openIssue(api, where, author, { title: "goes away" });
    await api.call("PATCH", `${where.path}/issues/2`, {
      as: owner,
      body: { milestone, assignees: ["olga"], state: "closed" },
    });
    const comment = await addComment(api, where, 2, author, "zebra");
    await addComment(api, where, 1, author, "horse");
    for (const number of [2, 1]) await post(`/issues/${number}/pin`, {}, 204);
    expect((await remove(2)).status).toBe(204);
    expect((await api.call("GET", `${where.path}/issues/2`)).status).toBe(404);
    expect((await api.call("GET", `${where.path}/issues/2/timeline`)).status).toBe(404);
    expect((await api.call("GET", `${where.path}/issues/comments/${comment.id}`)).status).toBe(404);
    const edit = { as: author, body: { body: "again" } };
    expect((await api.call("PATCH", `${where.path}/issues/comments/${comment.id}`, edit)).status).toBe(404);
    for (const query of ["", "assigned_by=olga", "milestones=m", "q=zebra", "q=away", "created_by=arno"]) {
      expect(await numbers(query), query).not.toContain(2);
    }
    expect((await get("/issues/comments")).map((one: { body: string }) => one.body)).toEqual(["horse"]);
    expect((await get("/issues/pinned")).map((one: { pin_order: number }) => one.pin_order)).toEqual([1]);
    expect(await get(`/milestones/${milestone}`)).toMatchObject({ open_issues: 0, closed_issues: 0 });
    expect((await get("")).open_issues_count).toBe(1);
    expect((await openIssue(api, where, owner)).number).toBe(3);
    await emptyDeletedIssues(api);
    const left = await api.forge.table.queryAll({ pk: issuePartition(where.repository.id, 2) });
    expect(left).toEqual([]);
    expect(await checkRepository(api.forge, where.repository.id)).toEqual([]);
  });

  it("204 and 404: of two at once one deletes it, and it is counted once", async () => {
    await openIssue(api, where, owner);
    await openIssue(api, where, owner);
    const answers = await Promise.all([remove(1), remove(1)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404]);
    expect((await get("")).open_issues_count).toBe(1);
  });

  it("404: a comment that is written while the issue goes is not left behind", async () => {
    await openIssue(api, where, owner);
    const body = { body: "late" };
    const [comment, removal] = await Promise.all([
      api.call("POST", `${where.path}/issues/1/comments`, { as: author, body }),
      remove(1),
    ]);
    expect(removal.status).toBe(204);
    expect([201, 404]).toContain(comment.status);
    await emptyDeletedIssues(api);
    expect(await get("/issues/comments")).toEqual([]);
    expect(await checkRepository(api.forge, where.repository.id)).toEqual([]);
  });

  it("403: its author, a writer; 404: no such issue", async () => {
    await openIssue(api, where, author);
    const body = { permission: "write" };
    await api.call("PUT", `${where.path}/collaborators/arno`, { as: owner, body });
    expect((await remove(1, author)).status).toBe(403);
    expect((await remove(9)).status).toBe(404);
    expect(await numbers("")).toEqual([1]);
  });
});
