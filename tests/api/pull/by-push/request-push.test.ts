import { describe, expect, it } from "vitest";
import { remoteRefs } from "../../../git/http/real-git.ts";
import { requestPushes } from "./request-pushes.ts";

const { world, letBobWrite, served, bob, shared, cloneOf, push, get, send, titles, unused, events, page } =
  requestPushes();

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
    await letBobWrite(path);
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
});
