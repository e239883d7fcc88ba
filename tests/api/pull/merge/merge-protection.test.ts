import { describe, expect, it } from "vitest";
import type { Caller } from "#tests/support/api";
import { protectedPulls } from "./protected-pulls.ts";

const { api, alice, bob, repositories, merge, report, isMerged, typesIn, work, guarded } = protectedPulls();

describe("repoMergePullRequest into a protected branch (semantics §22.3)", () => {
  it("200 although nobody may push: merging has its own list", async () => {
    const { repository, number } = await guarded("no-push", { enable_push: false });
    expect((await merge(repository, number, {}, bob)).status).toBe(200);
  });

  it("405 for users who are not on the list of mergers, administrators too", async () => {
    const list = { enable_merge_whitelist: true, merge_whitelist_usernames: ["bob"] };
    const { repository, number } = await guarded("mergers", list);
    expect((await merge(repository, number, { force_merge: true })).status).toBe(405);
    expect((await merge(repository, number, {}, bob)).status).toBe(200);
  });

  it("405 for writers whose team is on no list, of mergers or reviewers; 200 for a team's members", async () => {
    await api.call("POST", "/orgs", { as: alice, body: { username: "acme" } });
    await api.call("POST", "/orgs/acme/repos", { as: alice, body: { name: "teams", auto_init: true } });
    const repository = "/repos/acme/teams";
    const members = new Map<string, Caller>();
    for (const [name, permission] of [
      ["mergers", "write"],
      ["others", "write"],
      ["reviewers", "read"],
    ] as const) {
      const member = await api.makeUser({ name: `of-${name}` });
      const body = { name, permission, units: ["repo.code", "repo.pulls"] };
      const { json } = await api.call("POST", "/orgs/acme/teams", { as: alice, body });
      await api.call("PUT", `/teams/${json.id}/members/${member.name}`, { as: alice });
      await api.call("PUT", `/teams/${json.id}/repos/acme/teams`, { as: alice });
      members.set(name, member);
    }
    const rule = {
      ...{ rule_name: "main", enable_merge_whitelist: true, merge_whitelist_teams: ["mergers", "reviewers"] },
      ...{ required_approvals: 1, enable_approvals_whitelist: true },
      approvals_whitelist_teams: ["reviewers"],
    };
    await api.call("POST", `${repository}/branch_protections`, { as: alice, body: rule });
    await repositories.commitOn(repository, "topic", "src/topic.txt");
    const number = await repositories.open(repository, "topic");
    const tries = async (name: string) => (await merge(repository, number, {}, members.get(name))).json;
    const approve = async (name: string) => {
      const as = members.get(name) as Caller;
      const body = { event: "APPROVED" };
      const { json } = await api.call("POST", `${repository}/pulls/${number}/reviews`, { as, body });
      return json.official;
    };
    expect(await approve("others")).toBe(false);
    expect((await tries("mergers")).message).toContain("takes 1 approvals, and there are 0");
    expect(await approve("reviewers")).toBe(true);
    // Nobody merges who only reads, on a list or not (semantics §3.5).
    for (const name of ["others", "reviewers"]) {
      expect((await tries(name)).message).toBe("you may not merge into this branch");
    }
    expect((await merge(repository, number)).json.message).toBe("you may not merge into this branch");
    expect((await merge(repository, number, {}, members.get("mergers"))).status).toBe(200);
  });

  it("405 until the required checks succeed, each named; contexts are globs", async () => {
    const rule = { enable_status_check: true, status_check_contexts: ["ci/*", "lint"] };
    const { repository, head, number } = await guarded("checks", rule);
    await report(repository, head, "success");
    const refused = await merge(repository, number);
    expect([refused.status, refused.json.message]).toEqual([
      405,
      "the base is protected by the rule main: status check lint: pending",
    ]);
    await report(repository, head, "failure", "ci/more");
    expect((await merge(repository, number)).json.message).toContain(
      "status check ci/*: failure; status check lint",
    );
    await report(repository, head, "success", "ci/more");
    await report(repository, head, "success", "lint");
    await report(repository, head, "failure", "unrelated");
    expect((await merge(repository, number, {}, bob)).status).toBe(200);
  });

  it("405 until all checks succeed when the rule names none, and without any (semantics §23)", async () => {
    const { repository, head, number } = await guarded("any-check", { enable_status_check: true });
    const refusal = async () => (await merge(repository, number)).json.message;
    expect(await refusal()).toContain("status checks: pending");
    await report(repository, head, "success", "one");
    await report(repository, head, "warning", "two");
    expect(await refusal()).toContain("status checks: warning");
    await report(repository, head, "success", "two");
    expect((await merge(repository, number)).status).toBe(200);
  });

  it("405 with all that the rule misses at once, each told apart", async () => {
    const { repository, number } = await guarded("all", {
      ...{ enable_push: true, enable_status_check: true, required_approvals: 2 },
      ...{ block_on_rejected_reviews: true, block_on_official_review_requests: true },
      ...{ block_on_outdated_branch: true, protected_file_patterns: "none;SRC/**" },
      unprotected_file_patterns: "src/**",
    });
    const body = { event: "REQUEST_CHANGES", body: "no" };
    await api.call("POST", `${repository}/pulls/${number}/reviews`, { as: bob, body });
    const dora = await api.makeUser({ name: "dora" });
    await api.call("PUT", `${repository}/collaborators/dora`, { as: alice, body: { permission: "write" } });
    const asking = { as: alice, body: { reviewers: [dora.name] } };
    await api.call("POST", `${repository}/pulls/${number}/requested_reviewers`, asking);
    await repositories.commitOn(repository, "main", "main.txt");
    const { status, json } = await merge(repository, number);
    expect(status).toBe(405);
    expect(json.message.split(/(?:rule main: |; )/).slice(1)).toEqual([
      "status checks: pending",
      "the branch takes 2 approvals, and there are 0",
      "a reviewer asks for changes",
      "a requested review is not there yet",
      "the head is behind the base",
      "src/topic.txt may not be changed",
    ]);
  });

  it("force_merge: 200 for an administrator unless the rule is for them, too; 405 for a writer", async () => {
    const rule = { enable_status_check: true, status_check_contexts: ["ci"] };
    const { repository, number } = await guarded("forced", { ...rule, apply_to_admins: true });
    expect((await merge(repository, number, { force_merge: true })).status).toBe(405);
    const body = { apply_to_admins: false };
    await api.call("PATCH", `${repository}/branch_protections/main`, { as: alice, body });
    expect((await merge(repository, number, { force_merge: true }, bob)).status).toBe(405);
    expect((await merge(repository, number)).status).toBe(405);
    expect((await merge(repository, number, { force_merge: true })).status).toBe(200);
    const strict = await guarded("forced-by-root", { ...rule, apply_to_admins: true });
    const root = await api.makeUser({ name: "root", isAdmin: true });
    expect((await merge(strict.repository, strict.number, { force_merge: true }, root)).status).toBe(200);
  });

  it("405 while the head is behind its base; 200 once it is updated", async () => {
    const { repository, number } = await guarded("outdated", {
      block_on_outdated_branch: true,
      enable_push: true,
    });
    await repositories.commitOn(repository, "main", "main.txt");
    expect((await merge(repository, number)).json.message).toContain("the head is behind the base");
    expect((await api.call("POST", `${repository}/pulls/${number}/update`, { as: bob })).status).toBe(200);
    expect((await merge(repository, number)).status).toBe(200);
  });

  it("405 when it changes a protected file", async () => {
    const { repository, number } = await guarded("files", { protected_file_patterns: "src/**" });
    expect((await merge(repository, number)).json.message).toContain("src/topic.txt may not be changed");
  });

  it("405 when the base takes signed commits only, even by force: nobody signs what the service makes", async () => {
    const { repository, number } = await guarded("signed", { require_signed_commits: true });
    for (const Do of ["merge", "squash", "rebase"]) {
      expect((await merge(repository, number, { Do, force_merge: true })).status).toBe(405);
    }
  });

  it("403 although merged, when the head branch is protected and is to be deleted", async () => {
    const { repository, number } = await guarded("kept", { rule_name: "topic" });
    expect((await merge(repository, number, { delete_branch_after_merge: true })).status).toBe(403);
    expect(await isMerged(repository, number)).toBe(true);
  });
});

describe("repoMergePullRequest with merge_when_checks_succeed (semantics §22.6)", () => {
  const later = {
    merge_when_checks_succeed: true,
    MergeTitleField: "Later",
    delete_branch_after_merge: true,
  };

  it("201, 409 a second time, and merged as asked once the check succeeds", async () => {
    const rule = { enable_status_check: true, status_check_contexts: ["ci/test"] };
    const { repository, head, number } = await guarded("later", rule);
    expect(await merge(repository, number, later, bob)).toMatchObject({ status: 201, text: "" });
    expect((await merge(repository, number, later)).status).toBe(409);
    expect(await typesIn(repository, number)).toContain("pull_scheduled_merge");
    await report(repository, head, "pending");
    await work();
    expect(await isMerged(repository, number)).toBe(false);
    await report(repository, head, "success");
    await work();
    const { json } = await api.call("GET", `${repository}/pulls/${number}`, { as: alice });
    expect(json).toMatchObject({ merged: true, merged_by: { login: "bob" } });
    const commit = await api.call("GET", `${repository}/git/commits/${json.merge_commit_sha}`, { as: alice });
    expect(commit.json.commit.message).toBe("Later\n");
    expect((await api.call("GET", `${repository}/branches/topic`, { as: alice })).status).toBe(404);
    expect((await api.call("DELETE", `${repository}/pulls/${number}/merge`, { as: bob })).status).toBe(404);
  });

  it("follows the head: a push does not cancel it, and only checks of the new head count", async () => {
    const { repository, head, number } = await guarded("pushed", { rule_name: "other" });
    expect((await merge(repository, number, later)).status).toBe(201);
    const next = await repositories.commitOn(repository, "topic", "src/next.txt");
    await report(repository, head, "success");
    await work();
    expect(await isMerged(repository, number)).toBe(false);
    await report(repository, next, "success");
    await work();
    expect(await isMerged(repository, number)).toBe(true);
  });

  it("is merged by the approval that it waited for; 405 before, and told what is missing (B-11)", async () => {
    const { repository, number } = await guarded("approved", { required_approvals: 1 });
    const refused = await merge(repository, number);
    expect([refused.status, refused.json.message]).toEqual([405, expect.stringContaining("1 approvals")]);
    expect((await merge(repository, number, later)).status).toBe(201);
    await api.call("POST", `${repository}/pulls/${number}/reviews`, { as: bob, body: { event: "APPROVED" } });
    await work();
    expect(await isMerged(repository, number)).toBe(true);
  });

  it("is forgotten when the request is closed, and merges nothing after it is opened again", async () => {
    const { repository, head, number } = await guarded("closed", { rule_name: "other" });
    expect((await merge(repository, number, later)).status).toBe(201);
    for (const state of ["closed", "open"]) {
      await api.call("PATCH", `${repository}/pulls/${number}`, { as: alice, body: { state } });
    }
    await report(repository, head, "success");
    await work();
    expect(await isMerged(repository, number)).toBe(false);
    expect((await api.call("DELETE", `${repository}/pulls/${number}/merge`, { as: alice })).status).toBe(404);
  });

  it("405 as a merge for a reader and a draft; 422 for a merge by hand, which waits for nothing", async () => {
    const { repository, number } = await guarded("drafts", { rule_name: "other" });
    const byHand = { ...later, Do: "manually-merged", MergeCommitID: "0".repeat(40) };
    expect((await merge(repository, number, byHand)).status).toBe(422);
    const carol = await api.makeUser({ name: "carol" });
    expect((await merge(repository, number, later, carol)).status).toBe(405);
    await api.call("PATCH", `${repository}/pulls/${number}`, { as: alice, body: { title: "WIP: x" } });
    expect((await merge(repository, number, later)).status).toBe(405);
  });
});

describe("repoCancelScheduledAutoMerge", () => {
  it("204 for the user who scheduled it and for administrators, 403 for others, 404 when there is none", async () => {
    const { repository, head, number } = await guarded("cancelled", { rule_name: "other" });
    const cancel = (as: Caller) => api.call("DELETE", `${repository}/pulls/${number}/merge`, { as });
    expect((await cancel(alice)).status).toBe(404);
    const later = { merge_when_checks_succeed: true };
    expect((await merge(repository, number, later)).status).toBe(201);
    expect((await cancel(bob)).status).toBe(403);
    expect((await cancel(alice)).status).toBe(204);
    expect((await merge(repository, number, later, bob)).status).toBe(201);
    expect((await cancel(alice)).status).toBe(204);
    expect(await typesIn(repository, number)).toContain("pull_cancel_scheduled_merge");
    await report(repository, head, "success");
    await work();
    expect(await isMerged(repository, number)).toBe(false);
  });
});
