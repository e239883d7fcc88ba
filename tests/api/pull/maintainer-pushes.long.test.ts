import { describe, expect, it } from "vitest";
import type { Caller } from "#tests/support/api";
import { editedHeads } from "./edited-heads.ts";

const { world, served, bob, carol, call, requested, cloneOf, refused403, guest } = editedHeads();

describe("allow_maintainer_edit: git push to the head of a request, by users who may write to its base (semantics §45)", () => {
  it("lands, forced too, and the request follows; no other ref, no deletion, nothing new", async () => {
    const { base, number } = await requested("shared");
    const { copy, id } = await cloneOf("bob/shared", world.alice);
    const told = await copy.try("push", "origin", "HEAD:work");
    expect([told.code, told.stderr]).toEqual([0, expect.stringContaining(`/alice/shared/pulls/${number}`)]);
    expect((await world.show(base, number)).sha).toBe(id);
    expect(await world.timeline(base, number)).toEqual(["pull_push"]);
    await copy.git("reset", "-q", "--hard", "HEAD~1");
    const forced = await copy.commit({ "other.txt": "b" });
    await copy.git("push", "-q", "-f", "origin", "HEAD:work");
    expect((await world.show(base, number)).sha).toBe(forced);
    await copy.commit({ "last.txt": "c" });
    const refs = ["HEAD:other", "HEAD:main", "HEAD:fresh", "HEAD:refs/tags/v1", "HEAD:work"];
    const mixed = await copy.try("push", "-f", "origin", ...refs);
    expect([mixed.code, mixed.stderr.match(guest)?.length]).toEqual([1, 4]);
    const deleted = await copy.try("push", "origin", ":work");
    expect([deleted.code, deleted.stderr]).toEqual([1, expect.stringContaining("may no longer push here")]);
    const atomic = await copy.try("push", "--atomic", "-f", "origin", "HEAD~1:work", "HEAD:other");
    expect(atomic.code).toBe(1);
    expect((await world.show(base, number)).sha).toBe(await copy.git("rev-parse", "HEAD"));
  });

  it("403 for readers of the base, and when the request does not allow it, no longer allows it, or is closed (D-REFUSE)", async () => {
    const { pull } = await requested("ended");
    const { copy } = await cloneOf("bob/ended", bob);
    let pushes = 0;
    const pushAs = async (as: Caller) => {
      await copy.commit({ "next.txt": `${pushes++}` });
      return copy.try("push", "-q", served.url("bob/ended", as), "work");
    };
    expect((await pushAs(carol)).stderr).toMatch(refused403);
    await call("PATCH", pull, bob, { allow_maintainer_edit: false });
    expect((await pushAs(world.alice)).stderr).toMatch(refused403);
    await call("PATCH", pull, bob, { allow_maintainer_edit: true });
    expect((await pushAs(world.alice)).code).toBe(0);
    await call("PATCH", pull, bob, { state: "closed" });
    expect((await pushAs(world.alice)).stderr).toMatch(refused403);
    await call("PATCH", pull, bob, { state: "open" });
    expect((await pushAs(world.alice)).code).toBe(0);
    await call("PUT", "/repos/alice/ended/collaborators/carol", world.alice, { permission: "write" });
    expect((await pushAs(carol)).code).toBe(0);
    const scope = await world.api.makeToken(carol, ["read:repository"]);
    expect((await pushAs({ ...carol, token: scope })).stderr).toMatch(refused403);
  });
});

describe("repoUpdatePullRequest by who may write to the base", () => {
  it("200 when the request lets maintainers edit its head; 403 when it does not, or the head is protected", async () => {
    const { base, fork, pull, tip } = await requested("updated");
    const newest = await world.commitOn(base, "main");
    await call("POST", `${fork}/branch_protections`, bob, { rule_name: "work", enable_push: true });
    expect((await call("POST", `${pull}/update`, world.alice)).status).toBe(403);
    await call("DELETE", `${fork}/branch_protections/work`, bob);
    await call("PATCH", pull, bob, { allow_maintainer_edit: false });
    expect((await call("POST", `${pull}/update`, world.alice)).status).toBe(403);
    await call("PATCH", pull, bob, { allow_maintainer_edit: true });
    expect((await call("POST", `${pull}/update`, carol)).status).toBe(403);
    expect((await call("POST", `${pull}/update`, world.alice)).status).toBe(200);
    const { json } = await call("GET", pull, bob);
    const commit = await call("GET", `${fork}/git/commits/${json.head.sha}`, bob);
    expect(commit.json.parents.map(({ sha }: { sha: string }) => sha)).toEqual([tip, newest]);
  });
});
