import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findJob, type JobKind, startJob } from "#core/jobs/job";
import { outbox } from "#core/outbox";
import { jobWork } from "#functions/workers/jobs";
import { tick } from "#functions/workers/tick";
import { createWorker } from "#functions/workers/worker";
import { holdStandIns, makeForge, type TestForge } from "#tests/support/forge";

const idle = {
  resent: 0,
  restarted: 0,
  swept: 0,
  refsSwept: 0,
  logsSwept: 0,
  graphsSwept: 0,
  packsSwept: 0,
  attachmentsSwept: 0,
  filesSwept: 0,
};

describe("tick", () => {
  let on: TestForge;
  beforeAll(holdStandIns);
  beforeEach(async () => {
    on = await makeForge();
  });
  afterEach(() => on.stop());

  it("sends what a crash left in the outbox and starts jobs that nobody works on", async () => {
    const entry = outbox(on.forge, "webhooks", { kind: "delivery" });
    const job = startJob(on.forge, "count", { to: 3 });
    await on.forge.table.transact([entry.write, job.write]);
    expect(await tick(on.forge)).toEqual(idle);
    on.clock.advance(61_000);
    expect(await tick(on.forge)).toEqual({ ...idle, resent: 1, restarted: 1 });
    expect(await on.queues.take("webhooks")).toEqual([entry.message]);

    const steps: number[] = [];
    const count: JobKind<{ to: number }, { at: number }> = {
      async step(_forge, { to }, cursor = { at: 1 }) {
        steps.push(cursor.at);
        return cursor.at === to ? { done: true } : { cursor: { at: cursor.at + 1 } };
      },
    };
    const work = createWorker("repository-events", { job: jobWork({ count }, 240_000) });
    const drained = await on.queues.drain("repository-events", (event) => work(on.forge, event));
    expect(drained).toEqual({ done: 1, failed: 0 });
    expect(steps).toEqual([1, 2, 3]);
    expect(await findJob(on.forge, job.id)).toBeUndefined();
    expect(await tick(on.forge)).toEqual(idle);
  });

  it("one duty that fails is logged and does not keep the others from being done", async () => {
    const job = startJob(on.forge, "count", {});
    await on.forge.table.transact([job.write]);
    on.clock.advance(61_000);
    on.faults.inject({
      service: "dynamodb",
      operation: "Query",
      fault: new Error("no outbox today"),
      fits: (input: { ExpressionAttributeValues: { ":pk": string } }) =>
        input.ExpressionAttributeValues[":pk"].startsWith("X#"),
    });
    const { resent: _, ...others } = idle;
    expect(await tick(on.forge)).toEqual({ ...others, restarted: 1 });
    expect(on.logged).toContainEqual(expect.objectContaining({ event: "tick:duty-failed", duty: "resent" }));
  });
});
