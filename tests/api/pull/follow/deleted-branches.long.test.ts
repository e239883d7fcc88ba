import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SimulatedCrash } from "#tests/support/faults";
import { measured } from "#tests/support/measured";
import { makePullWorld, type PullWorld } from "../pull-world.ts";

let world: PullWorld;
beforeAll(async () => {
  world = await makePullWorld();
});
afterAll(() => world.api.stop());

describe("repoDeleteBranch of a merged request's head", () => {
  it("B-05a: a chain of requests moves up link by link", async () => {
    const repository = await world.twoRequests("chain");
    await world.commitOn(repository, "grandchild", "child");
    await world.open(repository, "grandchild", "child");
    await world.markMerged(repository, 1);
    await world.removeBranch(repository, "feature");
    expect(await world.show(repository, 3)).toMatchObject({ state: "open", base: "child" });
    await world.markMerged(repository, 2);
    await world.removeBranch(repository, "child");
    expect(await world.show(repository, 3)).toMatchObject({ state: "open", base: "main" });
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
    const repository = await world.twoRequests(`closed-${title.length}`);
    await world.commitOn(repository, "old");
    await prepare(repository);
    await world.removeBranch(repository, "feature");
    expect(await world.show(repository, 2)).toMatchObject({ state: "closed", base: "feature" });
    expect(await world.timeline(repository, 2)).toEqual(["close"]);
  });
});

describe("what the worker does after a branch was deleted", () => {
  it("leaves the requests alone when the branch was made again meanwhile; no failure fails the deletion", async () => {
    const repository = await world.twoRequests("again");
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

  const count = 50;

  /** A merged request's head with so many requests into it. */
  async function manyChildren(name: string): Promise<string> {
    const repository = await world.makeRepository(name);
    await world.commitOn(repository, "feature");
    await world.open(repository, "feature", "main");
    for (let at = 0; at < count; at++) {
      await world.commitOn(repository, `child-${at}`, "feature");
      await world.open(repository, `child-${at}`, "feature");
    }
    await world.runEvents();
    await world.markMerged(repository, 1);
    return repository;
  }

  it("B-05a: retargets 50 requests into it, wherever it is killed, each once; also when told twice", async () => {
    const repository = await manyChildren("many");
    await world.removeBranch(repository, "feature");
    const message = await world.takePush();
    const { faults } = world.api;
    for (const write of [3, 8, 15, 22]) {
      faults.crashAt(write, "before");
      await world.work(message).catch((error: unknown) => {
        if (!(error instanceof SimulatedCrash)) throw error;
      });
      expect(faults.hasCrashed).toBe(true);
      faults.recover();
      world.api.clock.advance(120_000);
    }
    const { usage } = await measured(() => world.work(message));
    await world.work({ ...message, eventId: "another" });
    expect(usage.tableRequests).toBeLessThan(20 * 30);
    for (let number = 2; number <= count + 1; number++) {
      expect(await world.show(repository, number)).toMatchObject({ state: "open", base: "main" });
      expect(await world.timeline(repository, number)).toEqual(["change_target_branch feature main"]);
    }
  });
});
