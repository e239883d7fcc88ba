import { describe, expect, it } from "vitest";
import { remoteRefs } from "../../../git/http/real-git.ts";
import { requestPushes } from "./request-pushes.ts";

const { world, letBobWrite, served, bob, admin, shared, cloneOf, push, get, send } = requestPushes();

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

  it("finds branch and topic with slashes; the topic may be an option; each user and base has their own", async () => {
    const { path, own } = await shared("named");
    await letBobWrite(path);
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
});

describe("a request without a head branch (decision 42)", () => {
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
    await letBobWrite(path);
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
