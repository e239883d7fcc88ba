import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ObjectId } from "#core/git/format/object-format";
import { issueKey } from "#core/issue/issue.table";
import { followHead } from "#core/pull/follow/follow-head";
import type { PullRequest } from "#core/pull/pull.table";
import { reviewProblems } from "#core/review/approval";
import { ruleOfBase } from "#core/review/official";
import { openPull } from "#tests/api/pull/make";
import { type ServedGit, serveGit } from "#tests/api/repository/serve-git";
import { Folders, git, WorkingCopy } from "#tests/git/http/real-git";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, pushFiles } from "#tests/support/code";

let api: TestApi;
let alice: Caller;
let bob: Caller;
let carol: Caller;
let name: string;
let repositoryId: number;
let base: string;

const kept = (middle: string, top = "") => `${top}1\n2\n3\n4\n5\n${middle}\n7\n8\n9\n`;

const folders = new Folders();
let server: ServedGit;

/** A clone of a repository of alice's, by git. */
async function served(repository: string): Promise<WorkingCopy> {
  const folder = await folders.make();
  await git(folder, ["clone", "-q", server.url(`alice/${repository}`, alice), "copy"]);
  return new WorkingCopy(`${folder}/copy`);
}

beforeAll(async () => {
  api = await makeApi();
  server = await serveGit(api);
  alice = await api.makeUser({ name: "alice" });
  bob = await api.makeUser({ name: "bob" });
  carol = await api.makeUser({ name: "carol" });
});
afterAll(async () => {
  await server.stop();
  await folders.remove();
  await api.stop();
});

/** A request of alice's that changes the middle of a file, under a rule; bob may write. */
async function makePull(rule: object): Promise<void> {
  name = `r${(repositoryId ?? 0) + 1}`;
  repositoryId = await makeRepository(api, alice, name);
  base = `/repos/alice/${name}`;
  await pushFiles(api, alice, name, { files: { "kept.txt": kept("6") } });
  await push("six");
  const body = { permission: "write" };
  await api.call("PUT", `${base}/collaborators/bob`, { as: alice, body });
  await api.call("POST", `${base}/branch_protections`, { as: alice, body: { rule_name: "main", ...rule } });
  await openPull(api, base, { as: alice });
}

const push = (middle: string) =>
  pushFiles(api, alice, name, { branch: "topic", from: "main", files: { "kept.txt": kept(middle) } });

const review = async (body: object, as = bob) =>
  (await api.call("POST", `${base}/pulls/1/reviews`, { as, body })).json;
const reviews = async () => (await api.call("GET", `${base}/pulls/1/reviews`, { as: carol })).json;

/** What the rule misses, as a merge asks. */
async function problems(): Promise<string[]> {
  const kept = await api.forge.table.get<PullRequest>(issueKey(repositoryId, 1));
  const pull = await followHead(api.forge, kept as PullRequest);
  const rule = await ruleOfBase(api.forge, pull);
  return rule === undefined ? ["no rule"] : reviewProblems(api.forge, pull, rule);
}

const lacking = ["the branch takes 1 approvals, and there are 0"];

describe("approvals and pushes (semantics §12.4)", () => {
  it("an approval of an older change counts without either flag, and shows that it is stale", async () => {
    await makePull({ required_approvals: 1 });
    expect(await problems()).toEqual(lacking);
    await review({ event: "APPROVED" });
    expect(await problems()).toEqual([]);
    await push("sechs");
    expect(await reviews()).toMatchObject([{ stale: true, dismissed: false, official: true }]);
    expect(await problems()).toEqual([]);
  });

  it("ignore_stale_approvals: it counts no longer, and again when the change is back (B-11a)", async () => {
    await makePull({ required_approvals: 1, ignore_stale_approvals: true });
    await review({ event: "APPROVED" });
    await push("sechs");
    expect(await problems()).toEqual(lacking);
    expect(await reviews()).toMatchObject([{ stale: true, dismissed: false }]);
    await push("six");
    expect(await problems()).toEqual([]);
    expect(await reviews()).toMatchObject([{ stale: false }]);
  });

  it("ignore_stale_approvals: it counts while the base is merged in and moves the lines", async () => {
    await makePull({ required_approvals: 1, ignore_stale_approvals: true, enable_push: true });
    await review({ event: "APPROVED" });
    const main = await pushFiles(api, alice, name, { files: { "kept.txt": kept("6", "0\n00\n") } });
    const merged = { branch: "topic", files: { "kept.txt": kept("six", "0\n00\n") }, merges: [main] };
    await pushFiles(api, alice, name, merged);
    expect(await reviews()).toMatchObject([{ stale: false }]);
    expect(await problems()).toEqual([]);
  });

  it("dismiss_stale_approvals: the push dismisses it, told in the timeline once; taken back, it counts (B-11b)", async () => {
    await makePull({ required_approvals: 1, dismiss_stale_approvals: true });
    const { id } = await review({ event: "APPROVED" });
    await push("sechs");
    await Promise.all([reviews(), reviews()]);
    expect(await reviews()).toMatchObject([{ dismissed: true, stale: true }]);
    expect(await problems()).toEqual(lacking);
    const { json } = await api.call("GET", `${base}/issues/1/timeline`, { as: carol });
    const told = json.filter(({ type }: { type: string }) => type === "dismiss_review");
    expect(told).toMatchObject([{ review_id: id, user: { login: "alice" } }]);
    await api.call("POST", `${base}/pulls/1/reviews/${id}/undismissals`, { as: alice });
    expect(await problems()).toEqual([]);
    await push("seis");
    expect(await problems()).toEqual(lacking);
  });

  it("dismiss_stale_approvals: an approval of what the head was does not count, however late it comes", async () => {
    await makePull({ required_approvals: 1, dismiss_stale_approvals: true });
    const { json } = await api.call("GET", `${base}/pulls/1`, { as: bob });
    const pending = await review({ event: "PENDING", body: "looks good" });
    await push("sechs");
    expect(await review({ event: "APPROVED", commit_id: json.head.sha }, carol)).toMatchObject({
      stale: true,
    });
    const path = `${base}/pulls/1/reviews/${pending.id}`;
    const submitted = await api.call("POST", path, { as: bob, body: { event: "APPROVED" } });
    expect(submitted.json).toMatchObject({ stale: true, official: true, commit_id: json.head.sha });
    expect(await problems()).toEqual(lacking);
    expect((await reviews()).find(({ id }: { id: number }) => id === pending.id).dismissed).toBe(true);
  });

  it("405 for a merge with a stale approval that is ignored, 200 after another one (B-11a)", async () => {
    await makePull({ required_approvals: 1, ignore_stale_approvals: true });
    await review({ event: "APPROVED" });
    await push("sechs");
    const merge = async () => {
      const { status, json } = await api.call("POST", `${base}/pulls/1/merge`, {
        as: bob,
        body: { Do: "merge" },
      });
      return [status, json?.message ?? ""];
    };
    const [status, message] = await merge();
    expect(status).toBe(405);
    expect(message).toContain(lacking[0]);
    await review({ event: "APPROVED" });
    expect(await merge()).toEqual([200, ""]);
    expect(await reviews()).toMatchObject([{ official: false }, { official: true, stale: false }]);
  });

  it("a submission that races a push is about the commit that its author saw", async () => {
    await makePull({ required_approvals: 1, ignore_stale_approvals: true });
    const [made, head] = await Promise.all([
      review({ event: "APPROVED" }),
      push("sechs") as Promise<ObjectId>,
    ]);
    const [now] = await reviews();
    expect([now.id, now.stale]).toEqual([made.id, made.commit_id !== head]);
    expect(await problems()).toEqual(made.commit_id === head ? [] : lacking);
  });

  it("a reader's approval does not count, and one of a listed reader does", async () => {
    await makePull({ required_approvals: 1 });
    await review({ event: "APPROVED" }, carol);
    expect(await problems()).toEqual(lacking);
    const body = { enable_approvals_whitelist: true, approvals_whitelist_username: ["carol"] };
    await api.call("PATCH", `${base}/branch_protections/main`, { as: alice, body });
    expect(await review({ event: "APPROVED" }, carol)).toMatchObject({ official: true });
    expect(await problems()).toEqual([]);
  });

  it("rejections and official requests block where the rule says so", async () => {
    await makePull({ block_on_rejected_reviews: true, block_on_official_review_requests: true });
    const { id } = await review({ event: "REQUEST_CHANGES", body: "no" });
    expect(await problems()).toEqual(["a reviewer asks for changes"]);
    const body = { message: "" };
    await api.call("POST", `${base}/pulls/1/reviews/${id}/dismissals`, { as: alice, body });
    expect(await problems()).toEqual([]);
    const ask = { as: alice, body: { reviewers: ["bob"] } };
    await api.call("POST", `${base}/pulls/1/requested_reviewers`, ask);
    expect(await problems()).toEqual(["a requested review is not there yet"]);
    await review({ event: "COMMENT", body: "seen" });
    expect(await problems()).toEqual([]);
  });
});

describe("reviewers who lost their rights", () => {
  const bobsRole = (permission?: string) =>
    permission === undefined
      ? api.call("DELETE", `${base}/collaborators/bob`, { as: alice })
      : api.call("PUT", `${base}/collaborators/bob`, { as: alice, body: { permission } });
  const official = async () => (await reviews()).map((one: { official: boolean }) => one.official);

  it("an approval counts as long as its author may write, and shows that; listed ones as long as they may read", async () => {
    await makePull({ required_approvals: 1 });
    await review({ event: "APPROVED" });
    expect([await problems(), await official()]).toEqual([[], [true]]);
    await bobsRole("read");
    expect([await problems(), await official()]).toEqual([lacking, [false]]);
    const body = { enable_approvals_whitelist: true, approvals_whitelist_username: ["bob"] };
    await bobsRole("write");
    await api.call("PATCH", `${base}/branch_protections/main`, { as: alice, body });
    await bobsRole();
    expect([await problems(), await official()]).toEqual([[], [true]]);
    await api.call("PATCH", base, { as: alice, body: { private: true } });
    expect(await problems()).toEqual(lacking);
  });

  it("neither a rejection nor a request of a user who may no longer write keeps a merge waiting", async () => {
    const rule = { block_on_rejected_reviews: true, block_on_official_review_requests: true };
    for (const said of [true, false]) {
      await makePull(rule);
      const body = { reviewers: ["bob"] };
      if (said) await review({ event: "REQUEST_CHANGES", body: "no" });
      else await api.call("POST", `${base}/pulls/1/requested_reviewers`, { as: alice, body });
      expect(await problems()).toHaveLength(1);
      await bobsRole("read");
      expect(await problems()).toEqual([]);
      await bobsRole("write");
      expect(await problems()).toHaveLength(1);
    }
  });

  it("a request keeps no merge waiting for an account that was switched off", async () => {
    const root = await api.makeUser({ name: "root", isAdmin: true });
    await api.makeUser({ name: "dora" });
    await makePull({ block_on_official_review_requests: true });
    await api.call("PUT", `${base}/collaborators/dora`, { as: alice, body: { permission: "write" } });
    const body = { reviewers: ["dora"] };
    await api.call("POST", `${base}/pulls/1/requested_reviewers`, { as: alice, body });
    expect(await problems()).toHaveLength(1);
    const inactive = { as: root, body: { active: false, login_name: "dora", source_id: 0 } };
    expect((await api.call("PATCH", "/admin/users/dora", inactive)).status).toBe(200);
    expect(await problems()).toEqual([]);
  });
});

describe("repoGetPullReviewComments, after pushes to the head (semantics §46.2)", () => {
  it("200: a comment keeps its line, its commit and its hunk while the line moves, changes and goes, on both sides", async () => {
    await makePull({});
    const path = "kept.txt";
    const comments = [
      { path, body: "new side", new_position: 6 },
      { path, body: "old side", old_position: 6 },
    ];
    const { id, commit_id: commitId } = await review({ event: "COMMENT", comments });
    const shown = async () =>
      (await api.call("GET", `${base}/pulls/1/reviews/${id}/comments`, { as: carol })).json;
    const before = await shown();
    expect(before).toMatchObject([
      { position: 6, original_position: 0, commit_id: commitId, original_commit_id: commitId },
      { position: 0, original_position: 6, commit_id: commitId, original_commit_id: commitId },
    ]);
    for (const content of [kept("six", "first\n"), kept("other"), "1\n"]) {
      await pushFiles(api, alice, name, { branch: "topic", from: "main", files: { [path]: content } });
      expect((await api.call("GET", `${base}/pulls/1`, { as: carol })).json.head.sha).not.toBe(commitId);
      expect(await shown()).toEqual(before);
    }
  });

  it("200: commit_id is the commit that last changed the line, as git blame tells (semantics §46.1)", async () => {
    await makePull({});
    const path = "kept.txt";
    const push = (content: string, more: object = {}) =>
      pushFiles(api, alice, name, { branch: "topic", files: { [path]: content }, ...more });
    const top = await push(kept("six", "top\n"));
    const other = await push(kept("six", "top\n").replace("9\n", "nine\n"));
    await pushFiles(api, alice, name, { branch: "side", from: "topic", files: { "side.txt": "" } });
    const side = await pushFiles(api, alice, name, {
      ...{ branch: "side", files: { [path]: kept("six", "top\n").replace("9\n", "nine\nten\n") } },
    });
    const head = await push(kept("six", "top\n").replace("9\n", "nine\nten\n"), { merges: [side] });
    const copy = await served(name);
    const blamed = (await copy.git("blame", "-s", "-l", "--root", "origin/topic", "--", path))
      .split("\n")
      .map((line) => line.slice(0, 40));
    expect(new Set(blamed)).toContain(top);
    expect(blamed.slice(-2)).toEqual([other, side]);
    const lines = blamed.map((_id, at) => at + 1);
    const comments = lines.map((line) => ({ path, body: `${line}`, new_position: line }));
    const { id } = await review({ event: "COMMENT", comments });
    const shown = await api.call("GET", `${base}/pulls/1/reviews/${id}/comments`, { as: carol });
    expect(shown.json.map((one: { commit_id: string }) => one.commit_id)).toEqual(blamed);
    expect(new Set(shown.json.map((one: { original_commit_id: string }) => one.original_commit_id))).toEqual(
      new Set([head]),
    );
  });

  it("404 for a comment of a pending review by every other way that leads to comments", async () => {
    await makePull({});
    const comments = [{ path: "kept.txt", body: "mine", new_position: 6 }];
    const { id } = await review({ event: "PENDING", comments });
    const own = await api.call("GET", `${base}/pulls/1/reviews/${id}/comments`, { as: bob });
    const at = `${base}/issues/comments/${own.json[0].id}`;
    expect(await api.call("GET", at, { as: carol })).not.toMatchObject({ status: 200 });
    const reaction = { as: carol, body: { content: "heart" } };
    const answers = await Promise.all([
      api.call("GET", `${at}/reactions`, { as: carol }),
      api.call("POST", `${at}/reactions`, reaction),
      api.call("PATCH", at, { as: alice, body: { body: "taken" } }),
      api.call("GET", `${at}/assets`, { as: carol }),
    ]);
    expect(JSON.stringify(answers.map(({ json }) => json))).not.toContain("mine");
    expect(answers.filter(({ status }) => status < 300 && status !== 204)).toEqual([]);
    const lists = await api.call("GET", `${base}/issues/comments`, { as: carol });
    expect(JSON.stringify(lists.json)).not.toContain("mine");
    expect((await api.call("DELETE", at, { as: alice })).status).not.toBe(500);
    expect((await api.call("GET", `${base}/pulls/1/reviews/${id}/comments`, { as: bob })).json).toHaveLength(
      1,
    );
  });
});
