import type { SQSEvent } from "aws-lambda";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { listCronTasks, requestCronTask } from "#core/cron-task/cron-task";
import { dataFormat } from "#core/data-format";
import { outbox } from "#core/events/outbox";
import { findJob, type JobKind, listJobs, startJob } from "#core/jobs/job";
import { jobWork } from "#functions/workers/jobs";
import { repositoryEventsWorker } from "#functions/workers/repository-events";
import { everyMinute, tick } from "#functions/workers/tick";
import { createWorker } from "#functions/workers/worker";
import { holdStandIns, makeForge, type TestForge } from "#tests/support/forge";

const idle = {
  resend_events: 0,
  restart_jobs: 0,
  update_mirrors: 0,
  start_schedules: 0,
  look_at_runs: 0,
  sweep_directories: 0,
  sweep_refs: 0,
  sweep_ref_logs: 0,
  sweep_commit_graphs: 0,
  sweep_packs: 0,
  sweep_attachments: 0,
  sweep_files: 0,
  sweep_artifacts: 0,
  sweep_lfs: 0,
  sweep_packages: 0,
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
    expect(await tick(on.forge)).toEqual({ ...idle, resend_events: 1, restart_jobs: 1 });
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

  it("starts the standing jobs, each once in a process; one that can't be started is tried again", async () => {
    const kinds = async () => (await listJobs(on.forge)).map(({ kind }) => kind).sort();
    const fits = ({ Key }: { Key: { pk: string } }) => JSON.stringify(Key).includes("HOOKS#keys");
    on.faults.inject({ service: "dynamodb", operation: "GetItem", fault: new Error("not today"), fits });
    await everyMinute(on.forge);
    expect(await kinds()).toEqual(["inspect-packs"]);
    expect(await on.forge.table.get({ pk: "SYS", sk: "FORMAT" })).toMatchObject({ format: dataFormat });
    expect(on.logged).toContainEqual(
      expect.objectContaining({ event: "tick:job-not-started", job: "resealing" }),
    );
    await everyMinute(on.forge);
    await everyMinute(on.forge);
    expect(await kinds()).toEqual(["inspect-packs", "reseal-hooks"]);
  });

  it("one cron task that fails is logged and does not keep the others from being done", async () => {
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
    const { resend_events: _, ...others } = idle;
    expect(await tick(on.forge)).toEqual({ ...others, restart_jobs: 1 });
    expect(on.logged).toContainEqual(
      expect.objectContaining({ event: "tick:cron-task-failed", cronTask: "resend_events" }),
    );
  });

  it("a cron task that was asked for is done by the worker, and noted with its own turns", async () => {
    await requestCronTask(on.forge, "sweep_packs");
    const work = (event: SQSEvent) => repositoryEventsWorker(on.forge, event);
    expect(await on.queues.drain("repository-events", work)).toEqual({ done: 1, failed: 0 });
    await tick(on.forge);
    const times = (await listCronTasks(on.forge)).map((one) => [one.name, one.times]);
    expect(Object.fromEntries(times)).toEqual({
      ...Object.fromEntries(Object.keys(idle).map((name) => [name, 1])),
      sweep_packs: 2,
    });
  });

  it("one that fails is not noted as done; and that runs can't be noted keeps nothing from being done", async () => {
    const fits = (input: { ExpressionAttributeValues: { ":pk": string } }) =>
      input.ExpressionAttributeValues[":pk"].startsWith("X#");
    on.faults.inject({ service: "dynamodb", operation: "Query", fault: new Error("no outbox today"), fits });
    await tick(on.forge);
    const [resending, restarting] = await listCronTasks(on.forge);
    expect([resending?.times, resending?.lastAt, restarting?.times]).toEqual([0, undefined, 1]);
    on.faults.inject({ service: "dynamodb", operation: "UpdateItem", fault: new Error("no writes") });
    expect(await tick(on.forge)).toEqual(idle);
    expect(on.logged).toContainEqual(expect.objectContaining({ event: "tick:runs-not-noted" }));
  });
});
