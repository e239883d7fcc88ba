import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type NewEntry, newEntry, rowOf } from "#core/comment/comment.table";
import { nextIds } from "#core/ids";
import { type Issue, issueKey } from "#core/issue/issue.table";
import { put } from "#core/table/write";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { commitOn, openPull } from "./make.ts";

let api: TestApi;
let alice: Caller;
beforeAll(async () => {
  api = await makeApi();
  alice = await api.makeUser({ name: "alice" });
});
afterAll(() => api.stop());

/** Writes entries as the verbs that they belong to do. */
async function tell(repositoryId: number, contents: Omit<NewEntry, "id" | "authorId" | "createdAt">[]) {
  const { table } = api.forge;
  const pull = (await table.get<Issue>(issueKey(repositoryId, 1))) as Issue;
  const ids = await nextIds(table, "comment", contents.length);
  for (const [at, content] of contents.entries()) {
    const entry = newEntry(pull, {
      ...{ id: ids[at] as number, authorId: alice.user.id, createdAt: 1_700_000_000 },
      ...content,
    });
    await table.transact([put(entry), put(rowOf(entry))]);
  }
}

describe("issueGetCommentsAndTimeline", () => {
  it("200 of a pull request: its own entries with their fields, without comments on lines (semantics §48)", async () => {
    await api.call("POST", "/orgs", { as: alice, body: { username: "team-play" } });
    const given = { name: "told", auto_init: true };
    const { json: repository } = await api.call("POST", "/orgs/team-play/repos", { as: alice, body: given });
    const team = await api.call("POST", "/orgs/team-play/teams", {
      as: alice,
      body: { name: "judges", units: ["repo.pulls"], permission: "write" },
    });
    const at = "/repos/team-play/told";
    await commitOn(api, at, "other", "b", { as: alice });
    await commitOn(api, at, "topic", "a", { as: alice });
    await openPull(api, at, { as: alice });
    await api.call("PATCH", `${at}/pulls/1`, { as: alice, body: { base: "other" } });
    const sha = await commitOn(api, at, "topic", "c", { as: alice });
    await api.call("GET", `${at}/pulls/1`, { as: alice });
    await tell(repository.id, [
      { type: "review", reviewId: 7, body: "Fine" },
      { type: "code", reviewId: 7, body: "This line" },
      { type: "dismiss_review", reviewId: 7, body: "Old" },
      { type: "review_request", reviewId: 8, assigneeId: alice.user.id },
      { type: "review_request", reviewId: 9, teamId: team.json.id, isRemoval: true },
      { type: "merge_pull" },
      { type: "delete_branch", oldRef: "topic" },
    ]);
    const { json, headers } = await api.call("GET", `${at}/issues/1/timeline`, { as: alice });
    const page = expect.stringMatching(/\/team-play\/told\/pulls\/1$/);
    expect(json).toMatchObject([
      {
        type: "change_target_branch",
        old_ref: "main",
        new_ref: "other",
        pull_request_url: page,
        issue_url: "",
      },
      { type: "pull_push", user: { login: "alice" } },
      { type: "review", review_id: 7, body: "Fine", assignee: null, assignee_team: null },
      { type: "dismiss_review", review_id: 7, body: "Old" },
      { type: "review_request", review_id: 8, assignee: { login: "alice" }, removed_assignee: false },
      { type: "review_request", assignee: null, assignee_team: { name: "judges" }, removed_assignee: true },
      { type: "merge_pull", body: "" },
      { type: "delete_branch", old_ref: "topic", new_ref: "" },
    ]);
    expect(JSON.parse(json[1].body)).toEqual({ is_force_push: false, commit_ids: [sha] });
    expect(headers.get("x-total-count")).toBe("8");
  });
});
