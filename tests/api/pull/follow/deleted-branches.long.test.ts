import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SimulatedCrash } from "#tests/support/faults";
import { measured } from "#tests/support/measured";
import { makePullWorld, type PullWorld } from "../pull-world.ts";

let world: PullWorld;
beforeAll(async () => {
  world = await makePullWorld();
});
afterAll(() => world.api.stop());

describe("what the worker does after a branch was deleted", () => {
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
