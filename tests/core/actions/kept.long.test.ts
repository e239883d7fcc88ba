import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type JobTask, type Run, runsPartition } from "#core/actions/actions.table";
import { rerunJobs } from "#core/actions/attempt/rerun";
import { cancelRun, updateJobState } from "#core/actions/job/end-job";
import { mostJoinFailures } from "#core/actions/log/join-log";
import { appendLogPiece, readLog } from "#core/actions/log/log";
import { logObjectsOf, logPiecesOf } from "#core/actions/log/log.table";
import { claimJob } from "#core/actions/queue/claim-job";
import { findRun, findTask } from "#core/actions/run/run";
import { lookAtRun } from "#core/actions/watchdog/look-at-run";
import { type RunLook, runLookKind } from "#core/actions/watchdog/looks";
import { findDue, listDue } from "#core/jobs/due";
import { repositoryEventsWorker } from "#functions/workers/repository-events";
import { tick } from "#functions/workers/tick";
import { type ArtifactWorld, startArtifacts } from "#tests/api/artifact/world";
import { job, makeRun } from "#tests/runners/make";
import { finishJobs } from "#tests/support/jobs";
import { measured } from "#tests/support/measured";
import { killedAtEach } from "#tests/support/race/killed-at-each";

let world: ArtifactWorld;
beforeAll(async () => {
  world = await startArtifacts({ LOG_RETENTION_DAYS: "2", RUN_RETENTION_DAYS: "4" });
});
beforeEach(() => world.begin());
afterAll(() => world.api.stop());

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const make = () =>
  makeRun(world.api, { id: world.id, ownerId: world.owner.user.id }, [job("a")], "on: push\n");
const place = (jobNumber: number) => ({ repositoryId: world.id, jobNumber });

/** A runner takes a run's job, and tells so many pieces of its log. */
async function take(pieces: readonly string[], isLast = true): Promise<{ run: Run; number: number }> {
  const level = { kind: "repository", repositoryId: world.id } as const;
  const claimed = await claimJob(world.api.forge, { runnerId: 1, level, labels: ["linux"] });
  if (claimed === undefined) throw new Error("no job waits");
  const { number } = claimed.job;
  for (const [first, line] of pieces.entries()) {
    const given = { first, lines: [line], isLast: isLast && first === pieces.length - 1 };
    await appendLogPiece(world.api.forge, place(number), given);
  }
  return { run: claimed.run, number };
}
const end = ({ run, number }: { run: Run; number: number }) =>
  updateJobState(
    world.api.forge,
    { repositoryId: world.id, runNumber: run.number, jobNumber: number },
    "success",
  );
async function ended(pieces: readonly string[]) {
  await make();
  const taken = await take(pieces);
  await end(taken);
  return taken;
}

async function textOf(task: JobTask): Promise<string> {
  const bytes: Uint8Array[] = [];
  for await (const some of readLog(world.api.forge, world.id, task)) bytes.push(some);
  return Buffer.concat(bytes).toString();
}
const task = async (number: number) => (await findTask(world.api.forge, world.id, number)) as JobTask;
const log = async (number: number) => textOf(await task(number));
/** The pieces of a log, and its objects. */
async function left(number: number): Promise<[pieces: number, objects: number]> {
  const pieces = await world.api.forge.table.queryAll(logPiecesOf(world.id, number));
  let objects = 0;
  for await (const _ of world.api.forge.blobs.list(logObjectsOf(world.id, number))) objects += 1;
  return [pieces.length, objects];
}
async function pass(ms: number): Promise<void> {
  world.api.clock.advance(ms);
  await tick(world.api.forge);
  await world.api.queues.drain("repository-events", (event) =>
    repositoryEventsWorker(world.api.forge, event),
  );
}
const looks = async () =>
  (await listDue<RunLook>(world.api.forge, runLookKind)).filter(
    ({ repositoryId }) => repositoryId === world.id,
  );
const status = async (number: number) =>
  (await world.call("GET", `actions/jobs/${world.id * 2 ** 26 + number}/logs`)).status;

describe("the log of a job that is over", () => {
  it("becomes one object, whole for readers who began before, at each moment and afterwards", async () => {
    const { number } = await ended(["one", "two", "three"]);
    const before = await task(number);
    expect(await left(number)).toEqual([3, 3]);
    await pass(1000);
    expect([await log(number), await textOf(before)]).toEqual(["one\ntwo\nthree\n", "one\ntwo\nthree\n"]);
    expect(await left(number)).toEqual([3, 4]);
    await pass(hour);
    expect([await log(number), await left(number)]).toEqual(["one\ntwo\nthree\n", [0, 1]]);
    const answer = await world.call("GET", `actions/jobs/${world.id * 2 ** 26 + number}/logs`);
    expect([answer.status, answer.text]).toEqual([200, "one\ntwo\nthree\n"]);
  });

  it("of one piece is its object, and of none is nothing; neither is copied", async () => {
    const one = await ended(["alone"]);
    const [piece] = await world.api.forge.table.queryAll(logPiecesOf(world.id, one.number));
    const none = await ended([]);
    await pass(1000);
    await pass(11 * minute);
    await pass(hour);
    expect((await task(one.number)).log).toMatchObject({ objectKey: piece?.objectKey, isTidy: true });
    expect([await log(one.number), await left(one.number)]).toEqual(["alone\n", [0, 1]]);
    expect([await log(none.number), await left(none.number)]).toEqual(["", [0, 0]]);
  });

  it("that its runner never closes is closed when the runner has been silent for ten minutes", async () => {
    await make();
    const { run, number } = await take(["one", "two"], false);
    await cancelRun(world.api.forge, run);
    await pass(minute);
    const more = { first: 2, lines: ["three"], isLast: false };
    expect(await appendLogPiece(world.api.forge, place(number), more)).toEqual({ kind: "taken", lines: 3 });
    await pass(10 * minute - 1000);
    expect((await task(number)).log).toBeUndefined();
    await pass(1000);
    const late = { first: 3, lines: ["four"], isLast: true };
    expect(await appendLogPiece(world.api.forge, place(number), late)).toEqual({ kind: "sealed" });
    expect([await log(number), (await task(number)).log?.objectKey]).toEqual([
      "one\ntwo\nthree\n",
      expect.any(String),
    ]);
  });

  it("is joined once by two workers at once, and what the slower one made goes", async () => {
    const { number } = await ended(["one", "two"]);
    const due = await findDue<RunLook>(world.api.forge, runLookKind);
    await Promise.all([...due, ...due].map((look) => lookAtRun(world.api.forge, look)));
    expect(await log(number)).toBe("one\ntwo\n");
    await pass(hour);
    expect([await log(number), await left(number)]).toEqual(["one\ntwo\n", [0, 1]]);
  });

  it("stays when the answer to the write that names its object gets lost", async () => {
    const { number } = await ended(["one", "two"]);
    const rule = { service: "dynamodb", operation: "UpdateItem", fault: "lost-answer" } as const;
    const fits = (input: object) => JSON.stringify(input).includes("objectKey");
    const lost = world.api.faults.inject({ ...rule, fits });
    await pass(1000);
    expect(lost.hits).toBe(1);
    world.api.faults.recover();
    expect(await log(number)).toBe("one\ntwo\n");
    await pass(hour);
    expect([await log(number), await left(number)]).toEqual(["one\ntwo\n", [0, 1]]);
  });

  it("stays whole when a worker is killed before or after any write, and nothing is left over", async () => {
    const numbers: number[] = [];
    for (let at = 0; at < 14; at += 1) numbers.push((await ended(["one", "two"])).number);
    let at = 0;
    for (const later of [0, hour]) {
      world.api.clock.advance(later);
      const due = await looks();
      await killedAtEach(
        world.api,
        async () => {
          for (const look of due) if (look.runNumber === at + 1) await lookAtRun(world.api.forge, look);
        },
        async () => {
          expect(await log(numbers[at] ?? 0)).toBe("one\ntwo\n");
          at += 1;
        },
      );
      at = 0;
    }
    await pass(hour);
    await pass(hour);
    await pass(hour);
    for (const number of numbers)
      expect([await log(number), await left(number)]).toEqual(["one\ntwo\n", [0, 1]]);
  });

  it("with a piece that is missing is tried for a day, given up and told, kept as it is, and goes with its time", async () => {
    const { number } = await ended(["one", "two"]);
    const [piece] = await world.api.forge.table.queryAll(logPiecesOf(world.id, number));
    await world.api.forge.table.removeAll(piece === undefined ? [] : [piece]);
    const whole = (await ended(["whole", "log"])).number;
    const told = (event: string) => world.api.logged.filter((line) => line.event === event).length;
    const before = [told("actions:log-not-joined"), told("actions:log-given-up")];
    await pass(1000);
    expect((await task(whole)).log).toBeDefined();
    for (let at = 0; at < mostJoinFailures + 5; at += 1) await pass(hour);
    expect([(await task(number)).log, await left(number)]).toEqual([undefined, [1, 2]]);
    const after = [told("actions:log-not-joined"), told("actions:log-given-up")];
    expect(after.map((times, at) => times - (before[at] ?? 0))).toEqual([mostJoinFailures - 1, 1]);
    await pass(day);
    await pass(hour);
    expect([await log(number), await left(number), await status(number)]).toEqual(["", [0, 0], 404]);
  });
});

describe("what is over its time", () => {
  it("a log goes two days after its run, here: 404, no object, no look", async () => {
    const { number } = await ended(["one", "two"]);
    await pass(1000);
    await pass(hour);
    await pass(2 * day - hour - 2000);
    expect(await status(number)).toBe(200);
    await pass(2000);
    expect([await status(number), await log(number)]).toEqual([404, ""]);
    await pass(hour);
    expect(await left(number)).toEqual([0, 0]);
  });

  it("a run goes after four, with logs, artifacts and their bytes, attempts, and what led to it", async () => {
    const { run, number } = await ended(["one", "two"]);
    await rerunJobs(world.api.forge, (await findRun(world.api.forge, world.id, 1)) as Run, () => true);
    const again = await take(["again"]);
    await world.make("a.zip", { runId: run.id, bytes: "123456" });
    expect(await world.usage()).toEqual([1, 6]);
    await pass(day);
    await end(again);
    await pass(day);
    await pass(3 * day - 1000);
    expect((await findRun(world.api.forge, world.id, 1))?.attempt).toBe(2);
    await pass(1000);
    await pass(minute);
    expect(await world.api.forge.table.queryAll({ pk: runsPartition(world.id) })).toEqual([]);
    expect([await left(number), await left(again.number)]).toEqual([
      [0, 0],
      [0, 0],
    ]);
    expect(await world.usage()).toEqual([0, 0]);
    const { json } = await world.call("GET", "actions/runs");
    expect(json).toMatchObject({ total_count: 0, workflow_runs: [] });
    await world.expectWhole();
    await pass(3 * hour);
    expect([(await world.left())[1], await looks()]).toEqual([0, []]);
  });

  it("a run that is run again lives on; of two at once one comes through", async () => {
    await ended(["one"]);
    await pass(1000);
    await pass(4 * day - minute);
    const run = (await findRun(world.api.forge, world.id, 1)) as Run;
    world.api.clock.advance(minute);
    const due = await findDue<RunLook>(world.api.forge, runLookKind);
    const again = rerunJobs(world.api.forge, run, () => true).then(
      () => true,
      () => false,
    );
    await Promise.all(due.map((look) => lookAtRun(world.api.forge, look)));
    const after = await findRun(world.api.forge, world.id, 1);
    expect(after?.attempt).toBe((await again) ? 2 : undefined);
    await world.expectWhole();
  });

  it("killed before and after each write, the removal of a run is done by the next look", async () => {
    for (let at = 0; at < 30; at += 1) await ended([]);
    world.api.clock.advance(4 * day);
    const due = await looks();
    let at = 0;
    await killedAtEach(
      world.api,
      async () => {
        for (const look of due) if (look.runNumber === at + 1) await lookAtRun(world.api.forge, look);
      },
      async () => {
        at += 1;
      },
    );
    await pass(hour);
    await pass(hour);
    expect(await world.api.forge.table.queryAll({ pk: runsPartition(world.id) })).toEqual([]);
    await world.expectWhole();
  });

  it("a repository that is deleted meanwhile takes all with it, and its looks end", async () => {
    const { number } = await ended(["one", "two"]);
    await world.call("DELETE", "");
    const due = await findDue<RunLook>(world.api.forge, runLookKind);
    await Promise.all([finishJobs(world.api), ...due.map((look) => lookAtRun(world.api.forge, look))]);
    await pass(5 * day);
    expect([await left(number), await looks()]).toEqual([[0, 0], []]);
    expect(await world.api.forge.table.queryAll({ pk: runsPartition(world.id) })).toEqual([]);
  });
});

it("a log of 10 MB in 200 pieces is joined with 200 reads and one write of S3, and tidied up with two requests to it", async () => {
  const lines = Array.from({ length: 200 }, (_, at) => `${at} `.padEnd(52_428, "x"));
  const { number } = await ended(lines);
  const look = async () => {
    const due = (await findDue<RunLook>(world.api.forge, runLookKind)).filter(
      ({ repositoryId }) => repositoryId === world.id,
    );
    const { usage } = await measured(async () => {
      for (const one of due) await lookAtRun(world.api.forge, one);
    });
    const { tableRequests, tableReadUnits, tableWriteUnits, blobReads, blobWrites } = usage;
    return [tableRequests, tableReadUnits, tableWriteUnits, blobReads, blobWrites];
  };
  world.api.clock.advance(1000);
  expect(await look()).toEqual([8, 11, 5, 200, 1]);
  world.api.clock.advance(hour);
  expect(await look()).toEqual([19, 13, 206, 1, 1]);
  expect((await log(number)).length).toBe(200 * 52_429);
  expect(await left(number)).toEqual([0, 1]);
});
