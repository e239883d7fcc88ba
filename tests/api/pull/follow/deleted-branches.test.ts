import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makePullWorld, type PullWorld } from "../pull-world.ts";

let world: PullWorld;
let off: PullWorld;
beforeAll(async () => {
  world = await makePullWorld();
  off = await makePullWorld({ RETARGET_CHILDREN_ON_MERGE: "false" });
});
afterAll(() => Promise.all([world.api.stop(), off.api.stop()]));

/** A repository with the requests 1: feature → main and 2: child → feature. */
async function twoRequests(name: string, { makeRepository, commitOn, open } = world): Promise<string> {
  const repository = await makeRepository(name);
  await commitOn(repository, "feature");
  await commitOn(repository, "child", "feature");
  await open(repository, "feature", "main");
  await open(repository, "child", "feature");
  return repository;
}

describe("repoDeleteBranch of a merged request's head", () => {
  it("B-05a, TR-1: a request into it goes into the merged one's base, at once, and its timeline tells of it", async () => {
    const repository = await twoRequests("retargeted");
    await world.markMerged(repository, 1);
    await world.removeBranch(repository, "feature");
    expect(await world.show(repository, 2)).toMatchObject({ state: "open", base: "main", head: "child" });
    await world.runEvents();
    expect(await world.timeline(repository, 2)).toEqual(["change_target_branch feature main"]);
    const found = await world.api.call("GET", `${repository}/pulls/main/child`, { as: world.alice });
    expect(found.json.number).toBe(2);
  });

  it("B-05a: a chain of requests moves up link by link", async () => {
    const repository = await twoRequests("chain");
    await world.commitOn(repository, "grandchild", "child");
    await world.open(repository, "grandchild", "child");
    await world.markMerged(repository, 1);
    await world.removeBranch(repository, "feature");
    expect(await world.show(repository, 3)).toMatchObject({ state: "open", base: "child" });
    await world.markMerged(repository, 2);
    await world.removeBranch(repository, "child");
    expect(await world.show(repository, 3)).toMatchObject({ state: "open", base: "main" });
  });

  it("B-05b: with the setting off the request is closed, and keeps its base", async () => {
    const repository = await twoRequests("switched-off", off);
    await off.markMerged(repository, 1);
    await off.removeBranch(repository, "feature");
    expect(await off.show(repository, 2)).toMatchObject({ state: "closed", base: "feature" });
  });

  it("B-05c: nothing is retargeted when the merged request went into another repository", async () => {
    const upstream = await world.makeRepository("upstream");
    const bob = await world.api.makeUser({ name: "bob" });
    await world.api.call("POST", `${upstream}/forks`, { as: bob, body: {} });
    const fork = "/repos/bob/upstream";
    await world.commitOn(fork, "feature", "main", bob);
    await world.commitOn(fork, "child", "feature", bob);
    const first = await world.open(upstream, "bob:feature", "main", bob);
    const body = { title: "In the fork", head: "child", base: "feature" };
    const made = await world.api.call("POST", `${fork}/pulls`, { as: bob, body });
    await world.markMerged(upstream, first);
    await world.api.call("DELETE", `${fork}/branches/feature`, { as: bob });
    expect(made.status).toBe(201);
    const { json } = await world.api.call("GET", `${fork}/pulls/${made.json.number}`, { as: bob });
    expect(json).toMatchObject({ state: "closed", base: { ref: "feature" } });
  });

  it.each([
    ["closed without a merge", async () => undefined],
    [
      "merged, and another request into its base is open",
      async (repository: string) => {
        await world.open(repository, "child", "main");
        await world.markMerged(repository, 1);
      },
    ],
    [
      "merged into a branch that is gone",
      async (repository: string) => {
        await world.api.call("PATCH", `${repository}/pulls/1`, { as: world.alice, body: { base: "old" } });
        await world.markMerged(repository, 1);
        await world.removeBranch(repository, "old");
      },
    ],
    [
      "merged, and the request brings nothing to its base",
      async (repository: string) => {
        const child = await world.api.call("GET", `${repository}/branches/child`, { as: world.alice });
        const main = await world.api.call("PATCH", `${repository}/git/refs/heads/main`, {
          as: world.alice,
          body: { sha: child.json.commit.id },
        });
        if (main.status !== 200)
          await world.api.call("PUT", `${repository}/branches/main`, {
            as: world.alice,
            body: { new_commit_id: child.json.commit.id },
          });
        await world.markMerged(repository, 1);
      },
    ],
  ])("D-RETARGET: a request into it is closed when the other was %s", async (title, prepare) => {
    const repository = await twoRequests(`closed-${title.length}`);
    await world.commitOn(repository, "old");
    await prepare(repository);
    await world.removeBranch(repository, "feature");
    expect(await world.show(repository, 2)).toMatchObject({ state: "closed", base: "feature" });
    expect(await world.timeline(repository, 2)).toEqual(["close"]);
  });
});

describe("repoDeleteBranch of a head", () => {
  it("closes the requests from it; a closed one stays as it is", async () => {
    const repository = await twoRequests("heads");
    await world.removeBranch(repository, "child");
    expect(await world.show(repository, 2)).toMatchObject({ state: "closed", head: "refs/pull/2/head" });
    await world.runEvents();
    expect(await world.timeline(repository, 2)).toEqual(["close"]);
  });
});

describe("what the worker does after a branch was deleted", () => {
  it("leaves the requests alone when the branch was made again meanwhile; no failure fails the deletion", async () => {
    const repository = await twoRequests("again");
    await world.api.queues.take("repository-events");
    const { faults } = world.api;
    const fits = (input: object) => JSON.stringify(input).includes("BASE#");
    const broken = faults.inject({
      ...{ service: "dynamodb", operation: "Query", fault: new Error("not now"), fits },
    });
    await world.removeBranch(repository, "feature");
    expect(broken.hits).toBe(1);
    const message = await world.takePush();
    await world.commitOn(repository, "feature");
    await world.work(message);
    expect(await world.show(repository, 2)).toMatchObject({ state: "open", base: "feature" });
    expect(await world.timeline(repository, 2)).toEqual([]);
    await world.removeBranch(repository, "feature");
    await world.work(await world.takePush());
    expect(await world.show(repository, 2)).toMatchObject({ state: "closed" });
  });
});

describe("repoUpdateBranch (a new name)", () => {
  it("gives requests into the branch and from it the new name (semantics §40)", async () => {
    const repository = await twoRequests("renamed");
    const body = { name: "renamed" };
    const answer = await world.api.call("PATCH", `${repository}/branches/feature`, { as: world.alice, body });
    expect(answer.status).toBe(204);
    expect(await world.show(repository, 1)).toMatchObject({ state: "open", head: "renamed", base: "main" });
    expect(await world.show(repository, 2)).toMatchObject({ state: "open", head: "child", base: "renamed" });
    await world.runEvents();
    expect(await world.show(repository, 2)).toMatchObject({ state: "open", base: "renamed" });
  });
});
