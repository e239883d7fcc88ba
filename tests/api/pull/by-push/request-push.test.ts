import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lazy } from "#core/lazy";
import { checkRepository } from "#core/lifecycle/check/check";
import type { Caller } from "#tests/support/api";
import { Folders, git, remoteRefs, WorkingCopy } from "../../../git/http/real-git.ts";
import { type ServedGit, serveGit } from "../../repository/serve-git.ts";
import { makePullWorld, type PullWorld } from "../pull-world.ts";

let world: PullWorld;
let served: ServedGit;
let bob: Caller;
let admin: Caller;
const folders = new Folders();
/** Repositories that are checked in the end (invariant 15). */
const ids: number[] = [];

beforeAll(async () => {
  world = await makePullWorld();
  served = await serveGit(world.api);
  bob = await world.api.makeUser({ name: "bob" });
  admin = await world.api.makeUser({ name: "root", isAdmin: true });
});
afterAll(async () => {
  const findings = await Promise.all(ids.map((id) => checkRepository(world.api.forge, id)));
  expect(findings.flat()).toEqual([]);
  await served.stop();
  await folders.remove();
  await world.api.stop();
});

/** A repository of alice's to which bob may write, and a clone of each. */
async function shared(name: string, more: object = {}) {
  const path = await world.makeRepository(name, more);
  await world.api.call("PUT", `${path}/collaborators/bob`, {
    as: world.alice,
    body: { permission: "write" },
  });
  ids.push((await get(path)).id);
  return { path, url: served.url(`alice/${name}`, world.alice), own: await cloneOf(name, world.alice) };
}

async function cloneOf(name: string, as: Caller): Promise<WorkingCopy> {
  const folder = await folders.make();
  await git(folder, ["clone", "-q", served.url(`alice/${name}`, as), "copy"]);
  return new WorkingCopy(`${folder}/copy`);
}

const push = (copy: WorkingCopy, ...args: string[]) => copy.try("push", "origin", ...args);
const get = async (path: string, as = world.alice) => (await world.api.call("GET", path, { as })).json;
const send = (method: string, path: string, body: object, as = world.alice) =>
  world.api.call(method, path, { as, body });
const titles = async (path: string) =>
  (await get(`${path}/pulls?state=open`)).map(({ title }: { title: string }) => title).sort();
/** A repository that has no requests, with a commit that nobody pushed. */
const unused = lazy(async () => {
  const found = await shared("unused");
  await found.own.commit({ a: "a" });
  return found;
});

/** What hooks and workers hear of. */
const events = async () =>
  (await world.api.queues.take("repository-events"))
    .map((message) => [message.kind, message.action].filter((word) => word !== undefined).join(" "))
    .sort();
const page = (path: string) => `${world.api.forge.config.rootUrl}/${path}`;

describe.each(["sha1", "sha256"])("git push to refs/for/<branch>/<topic> (decision 42), %s", (format) => {
  it("opens a request with the given title and text, moves it, and says what became of it", async () => {
    const name = `made-${format}`;
    const { path, own, url } = await shared(name, { object_format_name: format });
    const first = await own.commit({ a: "a" }, "Add a\n\nBecause.");
    const ref = "HEAD:refs/for/main/topic";
    await world.runEvents();
    const made = await push(own, "-o", "title=Mine", "-o", "description=It does a=b", ref);
    expect([made.code, made.stderr]).toEqual([
      0,
      expect.stringMatching(/new reference\] +HEAD -> refs\/pull\/1\/head/),
    ]);
    expect(made.stderr).toContain("remote: The pull request from 'alice/topic' into 'main':");
    expect(made.stderr).toContain(`remote:   ${page(`alice/${name}/pulls/1`)}`);
    expect(await events()).toEqual(["issue opened", "push"]);
    const repository = await get(path);
    expect(await get(`${path}/pulls/1`)).toMatchObject({
      ...{ title: "Mine", body: "It does a=b", state: "open", flow: 1, mergeable: true, changed_files: 1 },
      user: { login: "alice" },
      base: { ref: "main" },
      head: { label: "alice/topic", ref: "alice/topic", sha: first, repo_id: repository.id },
    });
    expect((await remoteRefs(url)).map((line) => line.split(" ")[1])).toEqual([
      "refs/heads/main",
      "refs/pull/1/head",
    ]);
    const again = await push(own, ref);
    expect([again.code, again.stderr]).toEqual([
      1,
      expect.stringContaining("pull request 1 has this commit already"),
    ]);
    const second = await own.commit({ b: "b" }, "Add b");
    await world.runEvents();
    const moved = await push(own, ref);
    expect(await events()).toEqual(["issue synchronized", "push"]);
    expect(moved.stderr).toMatch(
      new RegExp(`${first.slice(0, 7)}\\.\\.${second.slice(0, 7)} +HEAD -> refs/pull/1/head`),
    );
    expect(await get(`${path}/pulls/1`)).toMatchObject({
      title: "Mine",
      head: { sha: second },
    });
    const [entry] = (await get(`${path}/issues/1/timeline`)).filter(
      ({ type }: { type: string }) => type === "pull_push",
    );
    expect(JSON.parse(entry.body)).toEqual({ is_force_push: false, commit_ids: [second] });
    expect(await titles(path)).toEqual(["Mine"]);
  });
});

describe("git push to refs/for/<branch>/<topic> (decision 42)", () => {
  it("takes texts of several lines, which git puts into no option, as {base64}", async () => {
    const { path, own } = await shared("encoded");
    await own.commit({ a: "a" });
    const encoded = (text: string) => `{base64}${Buffer.from(text).toString("base64")}`;
    const title = `title=${encoded("Grüße")}`;
    const made = await push(
      ...[own, "-o", title, "-o", `description=${encoded("One\n\n- two\n")}`],
      "HEAD:refs/for/main/topic",
    );
    expect(made.code).toBe(0);
    expect(await get(`${path}/pulls/1`)).toMatchObject({ title: "Grüße", body: "One\n\n- two\n" });
    await own.commit({ b: "b" });
    await push(own, "-o", `title=${encoded("a\0b")}`, "HEAD:refs/for/main/other");
    expect((await get(`${path}/pulls/2`)).title).toBe("a\ufffdb");
  });

  it("takes commits away only with -o force-push", async () => {
    const { path, own } = await shared("forced");
    const first = await own.commit({ a: "a" }, "Add a\n\nBecause of b.");
    await push(own, "HEAD:refs/for/main/topic");
    expect(await get(`${path}/pulls/1`)).toMatchObject({ title: "Add a", body: "Because of b." });
    await own.git("reset", "-q", "--hard", "HEAD~");
    const other = await own.commit({ a: "other" });
    const ref = "HEAD:refs/for/main/topic";
    for (const options of [[], ["-o", "force-push=false"]]) {
      const refused = await push(own, ...options, ref);
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("takes away")]);
    }
    expect((await get(`${path}/pulls/1`)).head.sha).toBe(first);
    const forced = await push(own, "-o", "force-push", ref);
    expect(forced.stderr).toMatch(/\+ \S+\.\.\.\S+ +HEAD -> refs\/pull\/1\/head \(forced update\)/);
    const entries: { type: string; body: string }[] = await get(`${path}/issues/1/timeline`);
    const told = entries.filter(({ type }) => type === "pull_push").map(({ body }) => JSON.parse(body));
    expect(told).toEqual([{ is_force_push: true, commit_ids: [first, other] }]);
    const third = await own.commit({ a: "third" });
    expect((await push(own, "-o", "force-push=true", ref)).code).toBe(0);
    expect((await get(`${path}/pulls/1`)).head.sha).toBe(third);
  });

  it("finds branch and topic with slashes; the topic may be an option; each user and base has their own", async () => {
    const { path, own } = await shared("named");
    await own.git("push", "-q", "origin", "HEAD:release/1.0");
    await own.commit({ a: "a" });
    const topics = [
      ["HEAD:refs/for/release/1.0/fix/deep/er"],
      ["-o", "topic=fix/deep/er", "HEAD:refs/for/main"],
      ["HEAD:refs/for/main/fix"],
    ];
    for (const one of topics) expect((await push(own, ...one)).code).toBe(0);
    const bobs = await cloneOf("named", bob);
    await bobs.commit({ b: "b" });
    expect((await push(bobs, "HEAD:refs/for/main/fix")).code).toBe(0);
    const shown: { base: { ref: string }; head: { ref: string } }[] = await get(`${path}/pulls?sort=oldest`);
    expect(shown.map(({ base, head }) => `${base.ref} ${head.ref}`)).toEqual([
      "release/1.0 alice/fix/deep/er",
      "main alice/fix/deep/er",
      "main alice/fix",
      "main bob/fix",
    ]);
    await world.commitOn(path, "alice/fix");
    expect((await get(`${path}/pulls/3`)).head.sha).toBe(await own.git("rev-parse", "HEAD"));
  });

  it.each([
    ["a topic", ["HEAD:refs/for/main"], "a topic is missing: push to refs/for/main/<topic>"],
    ["a topic that is a name", ["-o", "topic=a b", "HEAD:refs/for/main"], "the topic is no name of a ref"],
    ["a branch", ["HEAD:refs/for/nowhere/topic"], "there is no branch here"],
    ["a commit", ["HEAD^{tree}:refs/for/main/topic"], "the head of a pull request is a commit"],
    ["a new head", [":refs/for/main/topic"], "close the pull request"],
    ["a title", ["-o", "title=", "HEAD:refs/for/main/topic"], "Title"],
    ["a bounded title", ["-o", `title=${"x".repeat(256)}`, "HEAD:refs/for/main/topic"], "at most 255"],
  ])("is refused with words without %s", async (_missing, args, words) => {
    const { path, own } = await unused();
    const refused = await push(own, ...args);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(words)]);
    expect(await titles(path)).toEqual([]);
  });

  it("403 for readers at info/refs (D-REFUSE); refused where pulls are off, archived, or the owner blocks; rules on the base don't matter", async () => {
    const { path, own } = await shared("rights");
    await own.commit({ a: "a" });
    const dan = await world.api.makeUser({ name: "dan" });
    const read = await own.try("push", served.url("alice/rights", dan), "HEAD:refs/for/main/topic");
    expect(read.stderr).toMatch(/remote: .*push to a fork.*\n.*error: 403/s);
    await send("POST", `${path}/branch_protections`, { rule_name: "main", enable_push: false });
    const byBob = () => own.try("push", served.url("alice/rights", bob), "HEAD:refs/for/main/topic");
    await send("PATCH", path, { has_pull_requests: false });
    expect((await byBob()).stderr).toContain("pull requests are not for you here");
    await send("PATCH", path, { has_pull_requests: true });
    await world.api.call("PUT", "/user/block/bob", { as: world.alice });
    expect((await byBob()).stderr).toContain("blocked you");
    await world.api.call("PUT", "/user/unblock/bob", { as: world.alice });
    expect((await byBob()).code).toBe(0);
    expect((await byBob()).stderr).toContain("has this commit already");
    await own.commit({ b: "b" });
    await send("PATCH", path, { archived: true });
    expect((await byBob()).stderr).toContain("archived");
  });

  it("lands beside other refs, one request in a push; --atomic is all or nothing (D-REFUSE)", async () => {
    const { path, own, url } = await shared("mixed");
    await own.commit({ a: "a" });
    const mixed = await push(
      own,
      "HEAD:refs/for/main/one",
      "HEAD:branch",
      "HEAD:refs/for/main/two",
      "HEAD:refs/pull/9/head",
    );
    expect(mixed.code).toBe(1);
    expect(mixed.stderr).toMatch(/refs\/for\/main\/two .*one pull request at a time/);
    expect(mixed.stderr).toMatch(/HEAD -> refs\/pull\/1\/head/);
    expect((await get(`${path}/pulls`)).length).toBe(1);
    await own.commit({ b: "b" });
    const refused = await push(own, "--atomic", "HEAD:refs/for/main/one", "HEAD:refs/pull/9/head");
    expect(refused.stderr).toContain("another ref of this atomic push was refused");
    const named = async () => (await remoteRefs(url)).map((line) => line.split(" ")[1]);
    expect(await named()).toEqual(["refs/heads/branch", "refs/heads/main", "refs/pull/1/head"]);
    const landed = await push(own, "--atomic", "HEAD:refs/for/main/three", "HEAD:refs/heads/third");
    expect(landed.code).toBe(0);
    expect((await named()).length).toBe(5);
    expect((await get(`${path}/pulls`)).map(({ head }: { head: { ref: string } }) => head.ref)).toContain(
      "alice/three",
    );
  });

  it("racing pushes to one topic make one request; a commit that does not follow is refused", async () => {
    const { path, own, url } = await shared("racing");
    const copies = [own, await cloneOf("racing", world.alice), await cloneOf("racing", world.alice)];
    const tips = await Promise.all(copies.map((copy, at) => copy.commit({ [`file-${at}`]: "x" })));
    const runs = await Promise.all(copies.map((copy) => push(copy, "HEAD:refs/for/main/topic")));
    expect(runs.map(({ code }) => code).sort()).toEqual([0, 1, 1]);
    for (const { code, stderr } of runs) if (code === 1) expect(stderr).toContain("takes away");
    const [only, ...others] = await get(`${path}/pulls`);
    expect([others, tips[runs.findIndex(({ code }) => code === 0)]]).toEqual([[], only.head.sha]);
    expect((await remoteRefs(url)).length).toBe(2);
  });
});

describe("a request without a head branch (decision 42)", () => {
  it("is merged through the API, with its topic in the message; the branch that is to go is none", async () => {
    const { path, own } = await shared("merged");
    await own.commit({ a: "a" }, "Add a");
    await push(own, "HEAD:refs/for/main/topic");
    const merge = { Do: "merge", delete_branch_after_merge: true };
    expect((await send("POST", `${path}/pulls/1/merge`, merge)).status).toBe(200);
    expect(await get(`${path}/pulls/1`)).toMatchObject({
      merged: true,
      head: { ref: "alice/topic" },
      flow: 1,
    });
    const { commit } = await get(`${path}/branches/main`);
    expect(commit.message).toContain("Merge pull request 'Add a' (#1) from alice/topic into main");
    await own.commit({ b: "b" });
    expect((await push(own, "HEAD:refs/for/main/topic")).stderr).toContain("refs/pull/2/head");
  });

  it("goes by its author's present name, and stays theirs; a long first line becomes a title of 255 (D-TEXT)", async () => {
    const { path, own } = await shared("renamed");
    const carol = await world.api.makeUser({ name: "carol" });
    await send("PUT", `${path}/collaborators/carol`, { permission: "write" });
    const url = served.url("alice/renamed", carol);
    await own.commit({ a: "a" }, `${"x".repeat(300)}\n\nWhy.`);
    expect((await own.try("push", url, "HEAD:refs/for/main/topic")).code).toBe(0);
    const { title, head } = await get(`${path}/pulls/1`);
    expect([title.length, head.ref]).toEqual([255, "carol/topic"]);
    await send("POST", "/admin/users/carol/rename", { new_username: "caroline" }, admin);
    await own.commit({ b: "b" });
    const renamed = served.url("alice/renamed", { ...carol, name: "caroline" });
    expect((await own.try("push", renamed, "HEAD:refs/for/main/topic")).stderr).toContain("'caroline/topic'");
    const [only, ...others] = await get(`${path}/pulls`);
    expect([only.number, only.head.label, others]).toEqual([1, "caroline/topic", []]);
  });

  it("makes reviews stale when it moves (semantics §12.3)", async () => {
    const { path, own } = await shared("reviewed");
    await send("POST", `${path}/branch_protections`, { rule_name: "main", dismiss_stale_approvals: true });
    await own.commit({ a: "a" });
    await push(own, "HEAD:refs/for/main/topic");
    await send("POST", `${path}/pulls/1/reviews`, { event: "APPROVED" }, bob);
    await own.commit({ b: "b" });
    await push(own, "HEAD:refs/for/main/topic");
    expect(await get(`${path}/pulls/1/reviews`)).toMatchObject([{ stale: true, dismissed: true }]);
  });

  it("is closed and opened again, has no branch to update, and follows when its base is renamed", async () => {
    const { path, own } = await shared("lives");
    await own.git("push", "-q", "origin", "HEAD:next");
    await own.commit({ a: "a" }, "Add a");
    const ref = "HEAD:refs/for/next/topic";
    await push(own, ref);
    expect((await send("POST", `${path}/pulls/1/update`, {})).status).toBe(422);
    const setState = async (number: number, state: string) =>
      (await send("PATCH", `${path}/pulls/${number}`, { state })).status;
    expect(await setState(1, "closed")).toBe(201);
    expect(await setState(1, "open")).toBe(201);
    expect(await setState(1, "closed")).toBe(201);
    await own.commit({ b: "b" });
    expect((await push(own, ref)).stderr).toContain("refs/pull/2/head");
    expect(await setState(1, "open")).toBe(409);
    await send("PATCH", `${path}/branches/next`, { name: "later" });
    await world.runEvents();
    expect(await world.show(path, 2)).toMatchObject({ base: "later", head: "alice/topic", state: "open" });
    await world.removeBranch(path, "later");
    await world.runEvents();
    expect(await world.show(path, 2)).toMatchObject({ head: "alice/topic", state: "closed" });
  });
});
