import { describe, expect, it } from "vitest";
import { addComment, openIssue } from "#tests/api/issue/make";
import { tell } from "#tests/api/notification/make";
import { commitOn, makeBase, openPull } from "#tests/api/pull/make";
import { makeRepository, type TestRepository } from "#tests/api/repository/make";
import type { Caller } from "#tests/support/api";
import { finishJobs } from "#tests/support/jobs";
import { feedOf, typesIn, typesOf } from "./make.ts";
import { toldPeople } from "./told-people.ts";

const { api, boss, people, at, done } = toldPeople();

describe("repoListActivityFeeds", () => {
  it("200: tells of all that is done to requests, releases, branches, tags and the repository", async () => {
    const { alice, bob: other } = people;
    const path = await makeBase(api, alice, "busy");
    await api.call("PUT", `${path}/collaborators/${other.name}`, {
      as: alice,
      body: { permission: "write" },
    });
    const does = async (method: string, to: string, as: Caller, body?: object) => {
      const { status, text, json } = await api.call(method, `${path}${to}`, { as, body });
      if (status >= 300) throw new Error(`${method} ${to}: ${status} ${text}`);
      await done();
      return json;
    };
    await done();
    await commitOn(api, path, "topic", "a.txt", { as: alice });
    await done();
    const { number } = await openPull(api, path, { as: alice });
    await done();
    await does("PATCH", `/pulls/${number}`, alice, { state: "closed" });
    await does("PATCH", `/pulls/${number}`, alice, { state: "open" });
    await addComment(api, { path } as TestRepository, number, other, "x".repeat(300));
    await done();
    const review = await does("POST", `/pulls/${number}/reviews`, other, {
      event: "REQUEST_CHANGES",
      body: "no",
    });
    await does("POST", `/pulls/${number}/reviews/${review.id}/dismissals`, alice, { message: "yes" });
    await does("POST", `/pulls/${number}/reviews`, other, { event: "APPROVED" });
    await does("POST", `/pulls/${number}/merge`, alice, { Do: "merge" });
    await does("DELETE", "/branches/topic", alice);
    await does("POST", "/tags", alice, { tag_name: "v1", target: "main" });
    await does("POST", "/releases", alice, { tag_name: "v2", name: "Two", target_commitish: "main" });
    await does("POST", "/releases", alice, { tag_name: "v3", target_commitish: "main", draft: true });
    await does("DELETE", "/tags/v1", alice);
    await does("PATCH", "", alice, { name: "calm" });
    const { rows } = await feedOf(api, `/repos/${alice.name}/calm`, alice);
    const told = rows.map(({ op_type: type, ref_name: ref, content }) => [type, ref, content.slice(0, 10)]);
    const request = `${number}|T`;
    expect(told.slice(0, 5)).toEqual([
      ["rename_repo", "", "busy"],
      ["delete_tag", "refs/tags/v1", ""],
      expect.anything(),
      expect.anything(),
      ["push_tag", "refs/tags/v1", ""],
    ]);
    expect(told.slice(2, 4).sort()).toEqual([
      ["publish_release", "v2", "Two"],
      ["push_tag", "refs/tags/v2", ""],
    ]);
    expect(told.slice(5, 6)).toEqual([["delete_branch", "refs/heads/topic", ""]]);
    expect(told.slice(6, 8).sort()).toEqual([
      ["commit_repo", "refs/heads/main", expect.stringContaining('{"Commits')],
      ["merge_pull_request", "", request],
    ]);
    expect(told.slice(8)).toEqual([
      ["approve_pull_request", "", request],
      ["pull_review_dismissed", "", request],
      ["reject_pull_request", "", request],
      ["comment_pull", "", `${number}|xxxxxxxx`],
      ["reopen_pull_request", "", request],
      ["close_pull_request", "", request],
      ["create_pull_request", "", request],
      ["commit_repo", "refs/heads/topic", expect.stringContaining('{"Commits')],
      expect.anything(), // the repository and its first commit
      expect.anything(),
    ]);
    expect(typesIn(rows.slice(-2)).sort()).toEqual(["commit_repo", "create_repo"]);
    expect(rows[11]).toMatchObject({ op_type: "comment_pull", content: `${number}|${"x".repeat(199)}…` });
  });

  it("404 once it is deleted, with all that told of it; what a deleted user did goes with them", async () => {
    const { alice, bob: other } = people;
    const [kept, gone] = [await makeRepository(api, alice), await makeRepository(api, alice)];
    await openIssue(api, kept, other);
    await openIssue(api, gone, alice);
    await done();
    await api.call("DELETE", gone.path, { as: alice });
    expect((await api.call("GET", `${gone.path}/activities/feeds`, { as: alice })).status).toBe(404);
    expect((await feedOf(api, at(alice), alice)).rows.map(({ repo }) => repo.name)).not.toContain(
      gone.repository.name,
    );
    expect((await api.call("DELETE", `/admin/users/${other.name}`, { as: boss })).status).toBe(204);
    expect(await typesOf(api, kept.path, alice)).toEqual(["create_repo"]);
    await tell(api);
    await finishJobs(api);
    const left = await api.forge.table.queryAll({ pk: `U#${other.user.id}#A` });
    const its = await api.forge.table.queryAll({ pk: `R#${gone.repository.id}#A` });
    expect([left, its]).toEqual([[], []]);
  });
});
