import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Comment } from "#functions/api/comment/schema";
import { Issue } from "#functions/api/issue/schema";
import { PullRequest } from "#functions/api/pull/schema";
import { Repository } from "#functions/api/repository/schema";
import { User } from "#functions/api/user/schema";
import { repositoryEventsWorker } from "#functions/workers/repository-events";
import { webhookWorker } from "#functions/workers/webhooks";
import { commitOn, makeBase, openPull } from "#tests/api/pull/make";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { type Receiver, startReceiver } from "#tests/support/servers/receiver";
import { z } from "#zod";

/** What callers of the API do to a pull request, and what a hook gets of it, member by member. */
let api: TestApi;
let receiver: Receiver;
let alice: Caller;
let bob: Caller;
let carol: Caller;
let base: string;
let labelId: number;
let milestoneId: number;

beforeAll(async () => {
  api = await makeApi({ settings: { WEBHOOK_ALLOWED_HOST_LIST: "loopback" } });
  receiver = await startReceiver();
  alice = await api.makeUser({ name: "alice" });
  bob = await api.makeUser({ name: "bob" });
  carol = await api.makeUser({ name: "carol" });
  base = await makeBase(api, alice, "told");
  await call("PUT", "/collaborators/bob", alice, { permission: "write" });
  labelId = (await call("POST", "/labels", alice, { name: "bug", color: "#ff0000" })).id;
  milestoneId = (await call("POST", "/milestones", alice, { title: "M" })).id;
  await commitOn(api, base, "topic", "new.txt", { as: bob });
  await commitOn(api, base, "next", "next.txt", { as: bob });
  const config = { url: receiver.url, content_type: "json" };
  const hook = { type: "forgejo", active: true, config };
  await call("POST", "/hooks", alice, { ...hook, events: ["pull_request"] });
  await told();
});
afterAll(async () => {
  await receiver.close();
  await api.stop();
});

const call = async (method: string, path: string, as: Caller, body?: object) =>
  (await api.call(method, `${base}${path}`, { as, ...(body && { body }) })).json;

interface Told {
  readonly group: unknown;
  readonly type: unknown;
  readonly payload: ReturnType<typeof JSON.parse>;
}

let seen = 0;
/** What the hook got since the last call, in the order of the events' types. */
async function told(): Promise<Told[]> {
  for (let done = 1; done > 0; ) {
    ({ done } = await api.queues.drain("repository-events", (one) => repositoryEventsWorker(api.forge, one)));
    done += (await api.queues.drain("webhooks", (one) => webhookWorker(api.forge, one))).done;
  }
  const fresh = receiver.requests.slice(seen);
  seen = receiver.requests.length;
  return fresh
    .map(({ headers, body }) => ({
      group: headers["x-forgejo-event"],
      type: headers["x-forgejo-event-type"],
      payload: JSON.parse(body),
    }))
    .sort((one, other) => String(one.type).localeCompare(String(other.type)));
}

const ofRequest = z.strictObject({
  ...{ action: z.string(), number: z.int(), changes: z.unknown().optional() },
  pull_request: PullRequest.strict(),
  requested_reviewer: User.strict().nullable(),
  ...{ repository: Repository.strict(), sender: User.strict(), commit_id: z.string() },
  review: z.strictObject({ type: z.string(), content: z.string() }).nullable(),
});
const ofComment = z.strictObject({
  ...{ action: z.string(), changes: z.unknown().optional(), is_pull: z.literal(true) },
  ...{ issue: Issue.strict(), pull_request: PullRequest.strict(), comment: Comment.strict() },
  ...{ repository: Repository.strict(), sender: User.strict() },
});

/** Each as `<group> <type> <action> by <sender>`, once it has the members of its kind and no others. */
async function expectTold(...expected: string[]): Promise<Told["payload"][]> {
  const all = await told();
  for (const { group, payload } of all) {
    const parsed = (group === "issue_comment" ? ofComment : ofRequest).safeParse(payload);
    expect(parsed.error?.issues).toBeUndefined();
  }
  const names = all.map(
    ({ group, type, payload }) => `${group} ${type} ${payload.action} by ${payload.sender.login}`,
  );
  expect(names).toEqual(expected);
  return all.map(({ payload }) => payload);
}

describe("what a hook for pull_request gets of what is done through the API (semantics §27.3, §27.4, §27.5)", () => {
  it("a new request, with its labels, milestone and assignees as for issues", async () => {
    const given = { labels: [labelId], milestone: milestoneId, assignees: ["bob"] };
    await openPull(api, base, { as: alice, ...given, body: "Text" } as never);
    const [opened] = await expectTold(
      "pull_request pull_request opened by alice",
      "pull_request pull_request_assign assigned by alice",
      "pull_request pull_request_label label_updated by alice",
      "pull_request pull_request_milestone milestoned by alice",
    );
    expect(opened).toEqual({
      ...{ action: "opened", number: 1, requested_reviewer: null, review: null, commit_id: "" },
      pull_request: expect.objectContaining({
        ...{ title: "T", body: "Text", labels: [expect.objectContaining({ name: "bug" })] },
        milestone: expect.objectContaining({ title: "M" }),
        assignees: [expect.objectContaining({ login: "bob" })],
      }),
      repository: expect.objectContaining({ full_name: "alice/told" }),
      sender: expect.objectContaining({ login: "alice", email: "alice@noreply.127.0.0.1" }),
    });
  });

  it("edits, each with what was there before", async () => {
    await call("PATCH", "/pulls/1", bob, { title: "New", body: "Other", base: "next" });
    const [edited] = await expectTold("pull_request pull_request edited by bob");
    const changes = { title: { from: "T" }, body: { from: "Text" }, ref: { from: "main" } };
    expect([edited.changes, edited.pull_request.base.ref]).toEqual([changes, "next"]);
    await call("PATCH", "/pulls/1", bob, { base: "main" });
    await expectTold("pull_request pull_request edited by bob");
    const unset = { assignees: [], labels: [], milestone: 0 };
    await call("PATCH", "/issues/1", alice, unset);
    await call("PUT", "/issues/1/labels", alice, { labels: [] });
    await expectTold(
      "pull_request pull_request_assign unassigned by alice",
      "pull_request pull_request_label label_cleared by alice",
      "pull_request pull_request_milestone demilestoned by alice",
    );
    await call("PATCH", "/pulls/1", alice, { assignees: ["bob"], labels: [labelId], milestone: milestoneId });
    await expectTold(
      "pull_request pull_request_assign assigned by alice",
      "pull_request pull_request_label label_updated by alice",
      "pull_request pull_request_milestone milestoned by alice",
    );
  });

  it("its end and another beginning", async () => {
    for (const [state, action] of [
      ["closed", "closed"],
      ["open", "reopened"],
    ]) {
      await call("PATCH", "/pulls/1", bob, { state });
      const [only] = await expectTold(`pull_request pull_request ${action} by bob`);
      expect(only).toMatchObject({ commit_id: "", pull_request: { state, merged: false } });
    }
  });

  it("comments, as comments of issues with the request", async () => {
    const { id } = await call("POST", "/issues/1/comments", carol, { body: "Hm" });
    await expectTold("issue_comment pull_request_comment created by carol");
    await call("PATCH", `/issues/comments/${id}`, carol, { body: "Hm!" });
    const [edited] = await expectTold("issue_comment pull_request_comment edited by carol");
    expect(edited).toMatchObject({ changes: { body: { from: "Hm" } }, comment: { body: "Hm!" } });
    await call("DELETE", `/issues/comments/${id}`, carol);
    await expectTold("issue_comment pull_request_comment deleted by carol");
  });

  it("new commits of its head, by who pushed them", async () => {
    const sha = await commitOn(api, base, "topic", "more.txt", { as: bob });
    const [synchronized] = await expectTold("pull_request pull_request_sync synchronized by bob");
    expect(synchronized.pull_request.head).toMatchObject({ ref: "topic", sha });
  });

  it("reviews by their verdict, pending ones once they are submitted, and nothing of dismissals", async () => {
    const review = (as: Caller, body: object) => call("POST", "/pulls/1/reviews", as, body);
    const comments = [{ path: "new.txt", body: "why", new_position: 1 }];
    const { id } = await review(carol, { event: "PENDING", comments });
    await expectTold();
    await call("POST", `/pulls/1/reviews/${id}`, carol, { event: "COMMENT" });
    const [commented] = await expectTold(
      "pull_request_comment pull_request_review_comment reviewed by carol",
    );
    expect(commented.review).toEqual({ type: "pull_request_review_comment", content: "" });
    expect(commented.pull_request.review_comments).toBe(1);
    await review(bob, { event: "REQUEST_CHANGES", body: "No" });
    const [rejected] = await expectTold("pull_request_rejected pull_request_review_rejected reviewed by bob");
    expect(rejected.review).toEqual({ type: "pull_request_review_rejected", content: "No" });
    const approval = await review(bob, { event: "APPROVED", body: "Yes" });
    const [approved] = await expectTold("pull_request_approved pull_request_review_approved reviewed by bob");
    expect(approved).toMatchObject({
      ...{ action: "reviewed", number: 1, requested_reviewer: null, commit_id: "" },
      review: { type: "pull_request_review_approved", content: "Yes" },
    });
    await call("POST", `/pulls/1/reviews/${approval.id}/dismissals`, alice, { message: "old" });
    await call("POST", `/pulls/1/reviews/${approval.id}/undismissals`, alice);
    await call("DELETE", `/pulls/1/reviews/${approval.id}`, bob);
    await expectTold();
  });

  it("who is asked for a review, and who is no more", async () => {
    const body = { reviewers: ["carol"] };
    await call("POST", "/pulls/1/requested_reviewers", alice, body);
    const [asked] = await expectTold("pull_request pull_request_review_request review_requested by alice");
    expect(asked).toMatchObject({
      requested_reviewer: { login: "carol", email: "carol@noreply.127.0.0.1" },
      pull_request: { requested_reviewers: [{ login: "carol" }] },
    });
    await call("DELETE", "/pulls/1/requested_reviewers", carol, body);
    const [withdrawn] = await expectTold(
      "pull_request pull_request_review_request review_request_removed by carol",
    );
    expect(withdrawn).toMatchObject({ requested_reviewer: { login: "carol" }, review: null });
  });

  it("a merge by its commit; nothing of a lock, a pin or a deadline", async () => {
    await call("PUT", "/issues/1/lock", alice, {});
    await call("POST", "/issues/1/pin", alice);
    await expectTold();
    await call("POST", "/pulls/1/merge", bob, { Do: "squash" });
    const [merged] = await expectTold("pull_request pull_request closed by bob");
    const { commit } = await call("GET", "/branches/main", alice);
    expect(merged).toMatchObject({
      commit_id: commit.id,
      pull_request: { merged: true, merge_commit_sha: commit.id, merged_by: { login: "bob" } },
    });
  });

  it("a head that is not for everybody without its repository (semantics §3.7)", async () => {
    await call("POST", "/forks", carol, { name: "cellar" });
    const root = await api.makeUser({ name: "root", isAdmin: true });
    const hidden = { visibility: "private", source_id: 0, login_name: "carol" };
    await api.call("PATCH", "/admin/users/carol", { as: root, body: hidden });
    await commitOn(api, "/repos/carol/cellar", "topic", "shown.txt", { as: carol });
    await openPull(api, base, { as: carol, head: "carol/cellar:topic" });
    const [opened] = await expectTold("pull_request pull_request opened by carol");
    expect(opened.pull_request.head).toMatchObject({ label: "topic", repo: null, repo_id: -1 });
    expect(JSON.stringify(opened)).not.toContain("cellar");
  });
});
