import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { send } from "#core/events/outbox";
import { findJob, findStalled, type JobKind, type JobKinds, startJob } from "#core/jobs/job";
import { runJob } from "#core/jobs/run";
import { holdStandIns, makeForge, type TestForge } from "#tests/support/forge";

interface Numbers {
  name: string;
  last: number;
}

/** Puts the items 1 to `last`, two at a step: repeatable, and its result is easy to look at. */
const count: JobKind<Numbers, { next: number }> = {
  async step(forge, { name, last }, cursor = { next: 1 }) {
    const end = Math.min(cursor.next + 2, last + 1);
    for (let number = cursor.next; number < end; number += 1) {
      await forge.table.write({ put: { pk: `COUNTED#${name}`, sk: String(number), number } });
    }
    return end > last ? { done: true } : { cursor: { next: end } };
  },
};
const kinds: JobKinds = { count };

describe("jobs", () => {
  let on: TestForge;
  beforeAll(holdStandIns);
  beforeEach(async () => {
    on = await makeForge();
  });
  afterEach(() => on.stop());

  async function start(kind: string, args: object): Promise<string> {
    const job = startJob(on.forge, kind, args);
    await on.forge.table.transact([job.write]);
    return job.id;
  }
  async function counted(name: string): Promise<number[]> {
    const items = await on.forge.table.queryAll({ pk: `COUNTED#${name}` });
    return items.map((item) => Number(item.number)).sort((one, other) => one - other);
  }
  const budget = { budgetMs: 60_000 };

  it("runs every step and is gone afterwards", async () => {
    const id = await start("count", { name: "a", last: 5 });
    expect(await runJob(on.forge, kinds, id, budget)).toEqual({ outcome: "done", steps: 3 });
    expect(await counted("a")).toEqual([1, 2, 3, 4, 5]);
    expect(await findJob(on.forge, id)).toBeUndefined();
    expect(await runJob(on.forge, kinds, id, budget)).toEqual({ outcome: "done", steps: 0 });
  });

  it("is started by its message at once, and not by the tick within its first 30 s", async () => {
    const job = startJob(on.forge, "count", { name: "a", last: 1 });
    await on.forge.table.transact([job.write]);
    await send(on.forge, [job.message]);
    expect(await on.queues.take("repository-events")).toEqual([
      { kind: "job", jobId: job.id, eventId: job.message.message.eventId },
    ]);
    expect(await findStalled(on.forge)).toEqual([]);
    on.clock.advance(30_000);
    expect((await findStalled(on.forge)).map(({ id }) => id)).toEqual([job.id]);
  });

  it("killed at every write and resumed, gives the same result", async () => {
    let kills = 0;
    for (const when of ["before", "after"] as const) {
      for (let write = 1; ; write += 1) {
        const name = `${when}-${write}`;
        const id = await start("count", { name, last: 5 });
        on.faults.crashAt(write, when);
        await runJob(on.forge, kinds, id, budget).catch((error: unknown) => error);
        const wasKilled = on.faults.hasCrashed;
        on.faults.recover();
        on.clock.advance(3_700_000);
        for (const { id } of await findStalled(on.forge)) await runJob(on.forge, kinds, id, budget);
        expect(await counted(name), name).toEqual([1, 2, 3, 4, 5]);
        expect(await findJob(on.forge, id), name).toBeUndefined();
        if (!wasKilled) break;
        kills += 1;
      }
    }
    expect(kills).toBe(2 * 9); // take the lease, 5 items, 2 cursors, remove the job
  });

  it("gives each step's lease to one of two rivals", async () => {
    let inside = 0;
    let most = 0;
    const alone: JobKind<Numbers, { next: number }> = {
      async step(forge, args, cursor) {
        inside += 1;
        most = Math.max(most, inside);
        const step = await count.step(forge, args, cursor);
        inside -= 1;
        return step;
      },
    };
    const id = await start("alone", { name: "r", last: 6 });
    const outcomes = await Promise.all([1, 2, 3].map(() => runJob(on.forge, { alone }, id, budget)));
    expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(["busy", "busy", "done"]);
    expect(most).toBe(1);
  });

  it("goes to a rival when the lease has run out; the late holder can't move the cursor or remove it", async () => {
    const id = await start("slow", { name: "s", last: 6 });
    let rival: Promise<unknown> | undefined;
    const slow: JobKind<Numbers, { next: number }> = {
      async step(forge, args, cursor) {
        if (cursor?.next === 3 && rival === undefined) {
          on.clock.advance(5001);
          rival = runJob(on.forge, { slow }, id, { ...budget, leaseMs: 5000 });
          expect(await rival).toEqual({ outcome: "done", steps: 2 });
        }
        return count.step(forge, args, cursor);
      },
    };
    const late = await runJob(on.forge, { slow }, id, { ...budget, leaseMs: 5000 });
    expect(late).toEqual({ outcome: "lost", steps: 2 });
    expect(await counted("s")).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await findJob(on.forge, id)).toBeUndefined();
  });

  it("is not taken before the lease has run out, and is found stalled afterwards", async () => {
    const id = await start("count", { name: "l", last: 2 });
    on.faults.crashAt(2, "before");
    await runJob(on.forge, kinds, id, { ...budget, leaseMs: 5000 }).catch((error: unknown) => error);
    on.faults.recover();
    on.clock.advance(4999);
    expect(await runJob(on.forge, kinds, id, budget)).toEqual({ outcome: "busy", steps: 0 });
    expect(await findStalled(on.forge)).toEqual([]);
    on.clock.advance(1);
    expect((await findStalled(on.forge)).map((job) => job.id)).toEqual([id]);
  });

  it("pauses when its time is over, with a message that goes on at once; the progress can be read", async () => {
    const id = await start("count", { name: "p", last: 5 });
    const slow: JobKind<Numbers, { next: number }> = {
      step(forge, args, cursor) {
        on.clock.advance(40);
        return count.step(forge, args, cursor);
      },
    };
    expect(await runJob(on.forge, { count: slow }, id, { budgetMs: 50 })).toEqual({
      outcome: "paused",
      steps: 2,
    });
    expect(await findJob(on.forge, id)).toMatchObject({ cursor: { next: 5 }, steps: 2, attempts: 1 });
    expect(await on.queues.take("repository-events")).toEqual([
      expect.objectContaining({ kind: "job", jobId: id }),
    ]);
    expect(await runJob(on.forge, kinds, id, budget)).toEqual({ outcome: "done", steps: 1 });
    expect(await counted("p")).toEqual([1, 2, 3, 4, 5]);
  });

  it("waits longer after each failed start, remembers why, and starts over once it gets on", async () => {
    let isBroken = true;
    const fragile: JobKind<Numbers, { next: number }> = {
      step(forge, args, cursor) {
        if (isBroken) throw new Error("the disk is on fire");
        return count.step(forge, args, cursor);
      },
    };
    const id = await start("fragile", { name: "f", last: 3 });
    for (const pauseMs of [30_000, 60_000, 120_000]) {
      expect(await runJob(on.forge, { fragile }, id, budget)).toEqual({ outcome: "failed", steps: 1 });
      expect(await findJob(on.forge, id)).toMatchObject({ problem: "the disk is on fire" });
      on.clock.advance(pauseMs - 1);
      expect(await runJob(on.forge, { fragile }, id, budget)).toEqual({ outcome: "busy", steps: 0 });
      expect(await findStalled(on.forge)).toEqual([]);
      on.clock.advance(1);
      expect((await findStalled(on.forge)).map((job) => job.id)).toEqual([id]);
    }
    isBroken = false;
    expect(await runJob(on.forge, { fragile }, id, budget)).toEqual({ outcome: "done", steps: 2 });
    expect(on.logged.filter(({ event }) => event === "job:step-failed")).toHaveLength(3);
  });

  it("fails a kind that nobody knows, and keeps the job", async () => {
    const id = await start("unknown", {});
    expect(await runJob(on.forge, kinds, id, budget)).toEqual({ outcome: "failed", steps: 1 });
    expect(await findJob(on.forge, id)).toMatchObject({
      problem: "no worker knows jobs of the kind unknown",
    });
  });

  it("bears lost answers in every request", async () => {
    const writes = ["UpdateItem", "PutItem", "DeleteItem"];
    for (const operation of writes) {
      on.faults.inject({ service: "dynamodb", operation, fault: "lost-answer", times: 3 });
    }
    const id = await start("count", { name: "lost", last: 5 });
    expect(await runJob(on.forge, kinds, id, budget)).toEqual({ outcome: "done", steps: 3 });
    expect(await counted("lost")).toEqual([1, 2, 3, 4, 5]);
  });
});
