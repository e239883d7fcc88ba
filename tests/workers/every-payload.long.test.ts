import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chatMessage } from "#core/hook/chat/chat-message";
import { type EventType, eventTypes } from "#core/hook/event-types";
import { getPackage } from "#core/package/package";
import { publishFile } from "#core/package/publish";
import { removePackage } from "#core/package/remove-package";
import { Comment } from "#functions/api/comment/schema";
import { Issue } from "#functions/api/issue/schema";
import { Package } from "#functions/api/package/schema";
import { PullRequest } from "#functions/api/pull/schema";
import { Release } from "#functions/api/release/schema";
import { Repository } from "#functions/api/repository/schema";
import { User } from "#functions/api/user/schema";
import { repositoryEventsWorker } from "#functions/workers/repository-events";
import { webhookWorker } from "#functions/workers/webhooks";
import { commitOn } from "#tests/api/pull/make";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { type Receiver, startReceiver } from "#tests/support/servers/receiver";
import { z } from "#zod";
import { hashedContent } from "../packages/hashed-content.ts";

/** What a hook for everything gets of what is done through the API, member by member, and what a chat would say of it. */
let api: TestApi;
let receiver: Receiver;
let alice: Caller;
let bob: Caller;
const hello = "/repos/alice/hello";
const heard = new Set<string>();

beforeAll(async () => {
  api = await makeApi({ settings: { WEBHOOK_ALLOWED_HOST_LIST: "loopback" } });
  receiver = await startReceiver();
  alice = await api.makeUser({ name: "alice" });
  bob = await api.makeUser({ name: "bob" });
  const config = { url: receiver.url, content_type: "json", secret: "s" };
  const hook = { type: "forgejo", active: true, config };
  await call("POST", "/user/hooks", alice, { ...hook, events: [...eventTypes] });
});
afterAll(async () => {
  await receiver.close();
  await api.stop();
});

async function call(method: string, path: string, as: Caller, body?: object) {
  const { status, json, text } = await api.call(method, path, { as, ...(body && { body }) });
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
  return json;
}

const [repository, sender] = [Repository.strict(), User.strict()];
const hash = z.string().regex(/^[0-9a-f]{40}$/);
const ref = z.string().regex(/^refs\/(heads|tags)\//);
const person = z.strictObject({ name: z.string(), email: z.string(), username: z.string() });
const commit = z.strictObject({
  ...{
    id: hash,
    message: z.string(),
    url: z.url(),
    author: person,
    committer: person,
    verification: z.null(),
  },
  ...{ timestamp: z.string(), added: z.array(z.string()), removed: z.array(z.string()) },
  modified: z.array(z.string()),
});
const former = z.strictObject({ from: z.string() }).optional();
const changes = z.strictObject({ title: former, body: former, ref: former }).optional();
const common = { repository, sender };
const ofThread = { action: z.string(), number: z.int(), changes, ...common, commit_id: z.string() };
const issue = z.strictObject({ ...ofThread, issue: Issue.strict() });
const pull = z.strictObject({
  ...{ ...ofThread, pull_request: PullRequest.strict(), requested_reviewer: sender.nullable() },
  review: z.strictObject({ type: z.string(), content: z.string() }).nullable(),
});
const comment = { action: z.string(), issue: Issue.strict(), comment: Comment.strict(), changes, ...common };
const pullComment = { ...comment, pull_request: PullRequest.strict(), is_pull: z.literal(true) };

/** The members of each type's payload, and no others (semantics §27.5). */
const members: Readonly<Record<EventType, z.ZodType>> = {
  create: z.strictObject({ sha: hash, ref, ref_type: z.enum(["branch", "tag"]), ...common }),
  delete: z.strictObject({
    ...{ ref, ref_type: z.enum(["branch", "tag"]), pusher_type: z.literal("user"), ...common },
  }),
  fork: z.strictObject({ forkee: repository, ...common }),
  push: z.strictObject({
    ...{ ref, before: hash, after: hash, compare_url: z.string(), commits: z.array(commit).max(5) },
    ...{ total_commits: z.int(), head_commit: commit.nullable(), ...common, pusher: sender },
  }),
  ...{ issues: issue, issue_assign: issue, issue_label: issue, issue_milestone: issue },
  issue_comment: z.strictObject({ ...comment, is_pull: z.literal(false) }),
  ...{
    pull_request: pull,
    pull_request_assign: pull,
    pull_request_label: pull,
    pull_request_milestone: pull,
  },
  pull_request_comment: z.strictObject(pullComment),
  ...{ pull_request_review_approved: pull, pull_request_review_rejected: pull },
  ...{ pull_request_review_comment: pull, pull_request_sync: pull, pull_request_review_request: pull },
  wiki: z.strictObject({ action: z.string(), ...common, page: z.string(), comment: z.string() }),
  repository: z.strictObject({ action: z.string(), ...common, organization: sender }),
  release: z.strictObject({ action: z.string(), release: Release.strict(), ...common }),
  package: z.strictObject({
    ...{ action: z.string(), repository: repository.nullable(), package: Package.strict() },
    ...{ organization: sender, sender },
  }),
};

let seen = 0;
/** Each as `<group> <type>: <what a chat would say>`, sorted, once it has its members and headers. */
async function told(): Promise<string[]> {
  for (let done = 1; done > 0; ) {
    ({ done } = await api.queues.drain("repository-events", (one) => repositoryEventsWorker(api.forge, one)));
    done += (await api.queues.drain("webhooks", (one) => webhookWorker(api.forge, one))).done;
  }
  const fresh = receiver.requests.slice(seen);
  seen = receiver.requests.length;
  const lines = fresh.map(({ headers, body }) => {
    const type = String(headers["x-gitea-event-type"]) as EventType;
    const payload = JSON.parse(body);
    const parsed = members[type].safeParse(payload);
    expect([type, parsed.error?.issues]).toEqual([type, undefined]);
    heard.add(type);
    return `${headers["x-gitea-event"]} ${type}: ${chatMessage(type, payload).title.text}`;
  });
  return lines.toSorted();
}

describe("a hook for every type, its payloads and what chats say of them (semantics §27.3, §27.4, §27.5)", () => {
  it("a repository with a README, an edited file, a branch and a tag that come and go", async () => {
    await call("POST", "/user/repos", alice, { name: "hello", auto_init: true });
    expect(await told()).toEqual([
      "create create: [alice/hello] alice created the branch main",
      "push push: [alice/hello] alice pushed a commit to main",
      "repository repository: [alice/hello] alice created the repository",
    ]);
    await call("PUT", `${hello}/collaborators/bob`, alice, { permission: "write" });
    await commitOn(api, hello, "topic", "new.txt", { as: bob });
    expect(await told()).toEqual([
      "create create: [alice/hello] bob created the branch topic",
      "push push: [alice/hello] bob pushed 2 commits to topic",
    ]);
    await call("POST", `${hello}/tags`, bob, { tag_name: "v0" });
    await call("DELETE", `${hello}/tags/v0`, alice);
    expect(await told()).toEqual([
      "create create: [alice/hello] bob created the tag v0",
      "delete delete: [alice/hello] alice deleted the tag v0",
      "push push: [alice/hello] alice pushed 0 commits to v0",
      "push push: [alice/hello] bob pushed 0 commits to v0",
    ]);
  });

  it("an issue with everything that it may have, its comments, its end", async () => {
    const label = (await call("POST", `${hello}/labels`, alice, { name: "bug", color: "#ff0000" })).id;
    const milestone = (await call("POST", `${hello}/milestones`, alice, { title: "1.0" })).id;
    const given = { title: "Broken <b>", body: "How", labels: [label], milestone, assignees: ["bob"] };
    await call("POST", `${hello}/issues`, alice, given);
    expect(await told()).toEqual([
      "issues issue_assign: [alice/hello] alice assigned bob to issue #1: Broken <b>",
      "issues issue_label: [alice/hello] alice changed the labels of issue #1: Broken <b>",
      "issues issue_milestone: [alice/hello] alice set the milestone 1.0 of issue #1: Broken <b>",
      "issues issues: [alice/hello] alice opened issue #1: Broken <b>",
    ]);
    await call("PATCH", `${hello}/issues/1`, alice, { title: "Mended", assignees: [], milestone: 0 });
    await call("DELETE", `${hello}/issues/1/labels`, alice);
    expect(await told()).toEqual([
      "issues issue_assign: [alice/hello] alice removed an assignee of issue #1: Mended",
      "issues issue_label: [alice/hello] alice removed all labels from issue #1: Mended",
      "issues issue_milestone: [alice/hello] alice removed the milestone of issue #1: Mended",
      "issues issues: [alice/hello] alice edited issue #1: Mended",
    ]);
    const { id } = await call("POST", `${hello}/issues/1/comments`, bob, { body: "Why?" });
    await call("PATCH", `${hello}/issues/comments/${id}`, bob, { body: "Why then?" });
    expect(await told()).toEqual([
      "issue_comment issue_comment: [alice/hello] bob commented on issue #1: Mended",
      "issue_comment issue_comment: [alice/hello] bob edited a comment on issue #1: Mended",
    ]);
    await call("DELETE", `${hello}/issues/comments/${id}`, bob);
    for (const state of ["closed", "open"]) await call("PATCH", `${hello}/issues/1`, alice, { state });
    expect(await told()).toEqual([
      "issue_comment issue_comment: [alice/hello] bob deleted a comment on issue #1: Mended",
      "issues issues: [alice/hello] alice closed issue #1: Mended",
      "issues issues: [alice/hello] alice reopened issue #1: Mended",
    ]);
  });

  it("a pull request with everything that it may have, its reviews, its merge", async () => {
    const [label] = await call("GET", `${hello}/labels`, alice);
    const [milestone] = await call("GET", `${hello}/milestones`, alice);
    const ends = { head: "topic", base: "main", title: "Add" };
    const given = { ...ends, labels: [label.id], milestone: milestone.id, assignees: ["bob"] };
    await call("POST", `${hello}/pulls`, bob, given);
    expect(await told()).toEqual([
      "pull_request pull_request: [alice/hello] bob opened pull request #2: Add",
      "pull_request pull_request_assign: [alice/hello] bob assigned bob to pull request #2: Add",
      "pull_request pull_request_label: [alice/hello] bob changed the labels of pull request #2: Add",
      "pull_request pull_request_milestone: [alice/hello] bob set the milestone 1.0 of pull request #2: Add",
    ]);
    await commitOn(api, hello, "topic", "more.txt", { as: bob });
    await call("POST", `${hello}/issues/2/comments`, alice, { body: "Hm" });
    await call("POST", `${hello}/pulls/2/requested_reviewers`, bob, { reviewers: ["alice"] });
    expect(await told()).toEqual([
      "issue_comment pull_request_comment: [alice/hello] alice commented on pull request #2: Add",
      "pull_request pull_request_review_request: [alice/hello] bob asked alice for a review of pull request #2: Add",
      "pull_request pull_request_sync: [alice/hello] bob pushed to pull request #2: Add",
      "push push: [alice/hello] bob pushed a commit to topic",
    ]);
    for (const [event, body] of [
      ["COMMENT", "So?"],
      ["REQUEST_CHANGES", "No"],
      ["APPROVED", "Yes"],
    ]) {
      await call("POST", `${hello}/pulls/2/reviews`, alice, { event, body });
    }
    expect(await told()).toEqual([
      "pull_request_approved pull_request_review_approved: [alice/hello] alice approved pull request #2: Add",
      "pull_request_comment pull_request_review_comment: [alice/hello] alice reviewed pull request #2: Add",
      "pull_request_rejected pull_request_review_rejected: [alice/hello] alice asked for changes of pull request #2: Add",
    ]);
    await call("POST", `${hello}/pulls/2/merge`, alice, { Do: "merge", delete_branch_after_merge: true });
    expect(await told()).toEqual([
      "delete delete: [alice/hello] alice deleted the branch topic",
      "pull_request pull_request: [alice/hello] alice merged pull request #2: Add",
      "push push: [alice/hello] alice pushed 3 commits to main",
    ]);
  });

  it("a release, a page of the wiki, a package, a fork, and the end of the repository", async () => {
    const { id } = await call("POST", `${hello}/releases`, alice, { tag_name: "v1", name: "One" });
    expect(await told()).toEqual([
      "create create: [alice/hello] alice created the tag v1",
      "push push: [alice/hello] alice pushed 0 commits to v1",
      "release release: [alice/hello] alice published the release v1: One",
    ]);
    await call("PATCH", `${hello}/releases/${id}`, alice, { body: "What is new" });
    expect(await told()).toEqual(["release release: [alice/hello] alice updated the release v1: One"]);
    await call("DELETE", `${hello}/releases/${id}`, alice);
    expect(await told()).toEqual(["release release: [alice/hello] alice deleted the release v1: One"]);

    const page = { title: "Home", content_base64: "dGV4dA==", message: "begin" };
    await call("POST", `${hello}/wiki/new`, alice, page);
    expect(await told()).toEqual(["wiki wiki: [alice/hello] alice created the wiki page Home"]);

    const actor = { user: alice.user };
    const version = {
      type: "generic",
      name: "tool",
      version: "1.0",
      fileName: "tool",
      takesMoreFiles: false,
    };
    await publishFile(api.forge, alice.user, actor, {
      ...version,
      file: await hashedContent("tool"),
    } as never);
    expect(await told()).toEqual(["package package: [alice] alice created the generic package tool 1.0"]);
    const named = await getPackage(api.forge, { ownerId: alice.user.id, type: "generic", name: "tool" });
    await removePackage(api.forge, actor, named);
    expect(await told()).toEqual(["package package: [alice] alice deleted the generic package tool 1.0"]);

    await call("POST", `${hello}/forks`, bob, { name: "copy" });
    expect(await told()).toEqual(["fork fork: [alice/hello] bob forked it to bob/copy"]);
    await call("DELETE", hello, alice);
    expect(await told()).toEqual(["repository repository: [alice/hello] alice deleted the repository"]);
  });

  it("leaves no type out", () => {
    expect([...heard].toSorted()).toEqual([...eventTypes].toSorted());
  });
});

describe("what no hook hears of (semantics §27.4)", () => {
  it("tracked time, definitions of labels and milestones, statuses, stars, collaborators, locks, pins, settings", async () => {
    const base = "/repos/alice/quiet";
    await call("POST", "/user/repos", alice, { name: "quiet", auto_init: true });
    await call("POST", `${base}/issues`, alice, { title: "T" });
    await told();
    const { commit: head } = await call("GET", `${base}/branches/main`, alice);
    await call("POST", `${base}/issues/1/times`, alice, { time: 60 });
    const label = await call("POST", `${base}/labels`, alice, { name: "l", color: "#00ff00" });
    await call("PATCH", `${base}/labels/${label.id}`, alice, { name: "m" });
    const milestone = await call("POST", `${base}/milestones`, alice, { title: "M" });
    await call("DELETE", `${base}/milestones/${milestone.id}`, alice);
    await call("POST", `${base}/statuses/${head.id}`, alice, { state: "success", context: "ci" });
    await call("PUT", "/user/starred/alice/quiet", bob);
    await call("PUT", `${base}/subscription`, bob);
    await call("PUT", `${base}/collaborators/bob`, alice, { permission: "write" });
    await call("PUT", `${base}/issues/1/lock`, alice, {});
    await call("POST", `${base}/issues/1/pin`, alice);
    await call("PATCH", base, alice, { description: "d", private: true });
    expect(await told()).toEqual([]);
  });
});
