import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makePullWorld, type PullWorld } from "../pull-world.ts";

let world: PullWorld;
let off: PullWorld;
beforeAll(async () => {
  world = await makePullWorld();
  off = await makePullWorld({ RETARGET_CHILDREN_ON_MERGE: "false" });
});
afterAll(() => Promise.all([world.api.stop(), off.api.stop()]));

describe("repoDeleteBranch of a merged request's head", () => {
  it("B-05a, TR-1: a request into it goes into the merged one's base, at once, and its timeline tells of it", async () => {
    const repository = await world.twoRequests("retargeted");
    await world.markMerged(repository, 1);
    await world.removeBranch(repository, "feature");
    expect(await world.show(repository, 2)).toMatchObject({ state: "open", base: "main", head: "child" });
    await world.runEvents();
    expect(await world.timeline(repository, 2)).toEqual(["change_target_branch feature main"]);
    const found = await world.api.call("GET", `${repository}/pulls/main/child`, { as: world.alice });
    expect(found.json.number).toBe(2);
  });

  it("B-05b: with the setting off the request is closed, and keeps its base", async () => {
    const repository = await off.twoRequests("switched-off");
    await off.markMerged(repository, 1);
    await off.removeBranch(repository, "feature");
    expect(await off.show(repository, 2)).toMatchObject({ state: "closed", base: "feature" });
  });
});

describe("repoDeleteBranch of a head", () => {
  it("closes the requests from it; a closed one stays as it is", async () => {
    const repository = await world.twoRequests("heads");
    await world.removeBranch(repository, "child");
    expect(await world.show(repository, 2)).toMatchObject({ state: "closed", head: "refs/pull/2/head" });
    await world.runEvents();
    expect(await world.timeline(repository, 2)).toEqual(["close"]);
  });
});

describe("repoUpdateBranch (a new name)", () => {
  it("gives requests into the branch and from it the new name (semantics §40)", async () => {
    const repository = await world.twoRequests("renamed");
    const body = { name: "renamed" };
    const answer = await world.api.call("PATCH", `${repository}/branches/feature`, { as: world.alice, body });
    expect(answer.status).toBe(204);
    expect(await world.show(repository, 1)).toMatchObject({ state: "open", head: "renamed", base: "main" });
    expect(await world.show(repository, 2)).toMatchObject({ state: "open", head: "child", base: "renamed" });
    await world.runEvents();
    expect(await world.show(repository, 2)).toMatchObject({ state: "open", base: "renamed" });
  });
});
