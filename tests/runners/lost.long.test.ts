import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Run } from "#core/actions/actions.table";
import { cancelRun } from "#core/actions/job/end-job";
import { findWaiting } from "#core/actions/queue/claim-job";
import { findRun } from "#core/actions/run/run";
import { lookAtRun } from "#core/actions/watchdog/look-at-run";
import { type RunLook, type RunnerLook, runLookKind, startDueLooks } from "#core/actions/watchdog/looks";
import { countedBy } from "#core/forge";
import { type Due, findDue, listDue } from "#core/jobs/due";
import { countInto, noUsage } from "#core/meter";
import { lookAtRunner } from "#core/runner/look-at-runner";
import { repositoryEventsWorker } from "#functions/workers/repository-events";
import { tick } from "#functions/workers/tick";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, pushFiles } from "#tests/support/code";
import { finishJobs } from "#tests/support/jobs";
import { killedAtEach } from "#tests/support/race/killed-at-each";
import { withMeanwhile } from "#tests/support/race/meanwhile";
import { job, makeRun, makeRunner, type TestRunner } from "./make.ts";

let api: TestApi;
let owner: Caller;
let repository = { id: 0, ownerId: 0 };
let made = 0;
beforeAll(async () => {
  api = await makeApi();
  owner = await api.makeUser({ name: "olga" });
});
beforeEach(async () => {
  made += 1;
  repository = { id: await makeRepository(api, owner, `r${made}`), ownerId: owner.user.id };
});
afterAll(() => api.stop());

const minute = 60_000;
const hour = 60 * minute;
const text =
  "name: ci\non: push\njobs:\n  a: {runs-on: linux, steps: [{run: echo}]}\n  b: {needs: a, runs-on: linux, steps: [{run: echo}]}\n";
const run = (jobs = [job("a"), job("b", { needs: ["a"] })], more = {}) =>
  makeRun(api, repository, jobs, text, more);
const runner = () => makeRunner(api, { kind: "repository", ...repository }, ["linux"]);
const fetch = async (by: TestRunner) => (await by.call("FetchTask", { tasksVersion: 0 })).message.task;
const tell = async (by: TestRunner, id: number, state = {}) =>
  (await by.call("UpdateTask", { state: { id: String(id), ...state } })).message.state.result;
const states = async ({ number }: Run) => {
  const found = await findRun(api.forge, repository.id, number);
  return [found?.state, ...(found?.jobs ?? []).map(({ state }) => state)];
};
/** What the tick starts, and the workers do. */
async function work(): Promise<void> {
  await tick(api.forge);
  await api.queues.drain("repository-events", (event) => repositoryEventsWorker(api.forge, event));
}
async function pass(ms: number): Promise<void> {
  api.clock.advance(ms);
  await work();
}
const looks = async (): Promise<Due<RunLook>[]> =>
  (await listDue<RunLook>(api.forge, runLookKind)).filter((one) => one.repositoryId === repository.id);
async function taken(jobs?: Parameters<typeof run>[0]) {
  const [by, of] = [await runner(), await run(jobs)];
  const id = Number((await fetch(by)).id);
  return { by, of, id };
}

describe("a runner that vanishes (semantics §60.4)", () => {
  it("its job has failed after ten minutes, what needs it is skipped, and the run has ended", async () => {
    const { of } = await taken();
    await pass(10 * minute - 1000);
    expect(await states(of)).toEqual(["running", "running", "blocked"]);
    await pass(1000);
    expect(await states(of)).toEqual(["failure", "failure", "skipped"]);
    const [lost] = (await findRun(api.forge, repository.id, of.number))?.jobs ?? [];
    expect(lost?.stoppedAt).toBe(Math.floor(api.clock.now() / 1000));
  });

  it("comes back: it is told that the task has failed, its lines are refused, its token opens nothing", async () => {
    const { by, of, id } = await taken();
    await pass(10 * minute);
    expect(await tell(by, id)).toBe("RESULT_FAILURE");
    expect(await tell(by, id, { result: "RESULT_SUCCESS" })).toBe("RESULT_FAILURE");
    const rows = [{ time: "2026-01-01T00:00:00Z", content: "late" }];
    const late = await by.call("UpdateLog", { taskId: String(id), index: "0", rows });
    expect(late.code).toBe("already_exists");
    expect(await states(of)).toEqual(["failure", "failure", "skipped"]);
    expect(await fetch(by)).toBeUndefined();
  });

  it("a word each nine minutes, or a line of the log, keeps the job, for three hours at the most", async () => {
    const { by, of, id } = await taken([job("a")]);
    for (let at = 0; at < 19; at += 1) {
      await pass(9 * minute);
      const rows = [{ time: "2026-01-01T00:00:00Z", content: "here" }];
      if (at % 2 === 0) await tell(by, id);
      else await by.call("UpdateLog", { taskId: String(id), index: String((at - 1) / 2), rows });
      expect(await states(of)).toEqual(["running", "running"]);
    }
    await pass(9 * minute);
    expect(await states(of)).toEqual(["failure", "failure"]);
    expect(await tell(by, id)).toBe("RESULT_FAILURE");
  });

  it("a word that comes while its job is being given up keeps the job", async () => {
    const { by, of, id } = await taken([job("a")]);
    api.clock.advance(10 * minute);
    const due = await findDue<RunLook>(api.forge, runLookKind);
    const meanwhile = () => tell(by, id);
    const watched = withMeanwhile(api.forge, meanwhile, (writes) =>
      writes.some((write) => "update" in write && write.update.sk.startsWith("T#")),
    );
    for (const look of due) await lookAtRun(watched, look);
    expect(await states(of)).toEqual(["running", "running"]);
    await work();
    expect(await states(of)).toEqual(["running", "running"]);
    await pass(10 * minute);
    expect(await states(of)).toEqual(["failure", "failure"]);
  });

  it("two ticks at once, and the job's end at the same time: it ends once", async () => {
    const { by, of, id } = await taken([job("a")]);
    api.clock.advance(10 * minute);
    const due = await findDue<RunLook>(api.forge, runLookKind);
    const end = tell(by, id, { result: "RESULT_SUCCESS" });
    await Promise.all([...due, ...due].map((look) => lookAtRun(api.forge, look)));
    const told = await end; // what the looks lost to may still be under way
    const [, state] = await states(of);
    expect(told).toBe(state === "success" ? "RESULT_SUCCESS" : "RESULT_FAILURE");
    await work();
    expect((await states(of))[1]).toBe(state);
  });

  it("killed before and after each write, a look leaves the job running or failed, and the next one ends it", async () => {
    const given: Run[] = [];
    for (let at = 0; at < 12; at += 1) given.push((await taken([job("a")])).of);
    api.clock.advance(10 * minute);
    const due = await looks();
    const looksAt = (of: Run | undefined, all: readonly Due<RunLook>[]) =>
      all.filter(({ runNumber }) => runNumber === of?.number);
    let at = 0;
    await killedAtEach(
      api,
      async () => {
        for (const look of looksAt(given[at], due)) await lookAtRun(api.forge, look);
      },
      async () => {
        const of = given[at] as Run;
        at += 1;
        expect(["running", "failure"]).toContain((await states(of))[1]);
        expect(looksAt(of, await looks())).not.toEqual([]);
      },
    );
    await pass(hour);
    expect(at).toBeGreaterThan(4);
    expect(await Promise.all(given.map(states))).toEqual(given.map(() => ["failure", "failure"]));
  });
});

describe("a job that nobody takes (semantics §60.4)", () => {
  it("is cancelled after a day in the queue, with what waits for it, and stands in no queue then", async () => {
    const of = await run();
    await pass(24 * hour - 1000);
    expect(await states(of)).toEqual(["waiting", "waiting", "blocked"]);
    await pass(1000);
    expect(await states(of)).toEqual(["cancelled", "cancelled", "cancelled"]);
    const level = { kind: "repository", repositoryId: repository.id } as const;
    expect(await findWaiting(api.forge, { level, labels: ["linux"] })).toEqual([]);
    expect((await looks()).filter(({ ended }) => ended === undefined)).toEqual([]);
  });

  it("waits for a day from when it began to, not from its run's beginning", async () => {
    const { by, of, id } = await taken();
    await pass(9 * minute);
    await tell(by, id, { result: "RESULT_SUCCESS" });
    await pass(24 * hour - minute);
    expect(await states(of)).toEqual(["waiting", "success", "waiting"]);
    await pass(minute);
    expect(await states(of)).toEqual(["cancelled", "success", "cancelled"]);
  });

  it("the same for a run that nobody approves, which waits for nobody then", async () => {
    const of = await run([job("a"), job("b")], { needsApproval: true });
    await pass(24 * hour);
    expect(await states(of)).toEqual(["cancelled", "cancelled", "cancelled"]);
    expect((await findRun(api.forge, repository.id, of.number))?.needsApproval).toBeUndefined();
  });
});

describe("an ephemeral runner that vanishes (semantics §60.4)", () => {
  const ephemeral = () =>
    makeRunner(api, { kind: "repository", ...repository }, ["linux"], { ephemeral: true });
  const isThere = async ({ id }: TestRunner) =>
    (await api.call("GET", `/repos/olga/r${made}/actions/runners/${id}`, { as: owner })).status === 200;
  const isServed = async (by: TestRunner) =>
    (await by.call("FetchTask", { tasksVersion: 0 })).code === undefined;

  it("with its job is removed a little after that has failed, and not while it speaks", async () => {
    const [by, of] = [await ephemeral(), await run()];
    const { id } = await fetch(by);
    for (let at = 0; at < 3; at += 1) {
      await pass(9 * minute);
      await tell(by, Number(id));
    }
    expect([await isThere(by), await states(of)]).toEqual([true, ["running", "running", "blocked"]]);
    await pass(10 * minute);
    expect([await isThere(by), await states(of)]).toEqual([true, ["failure", "failure", "skipped"]]);
    await pass(minute);
    expect([await isThere(by), await isServed(by)]).toEqual([false, false]);
    await pass(24 * hour);
    expect((await listDue(api.forge, runLookKind)).filter((look) => "runner" in look)).toEqual([]);
  });

  it("before it takes a job is removed after a day of silence; another kind of runner stays", async () => {
    const [by, lasting] = [await ephemeral(), await runner()];
    await pass(23 * hour);
    expect(await isServed(by)).toBe(true);
    await pass(23 * hour);
    expect(await isThere(by)).toBe(true);
    await pass(hour);
    expect([await isThere(by), await isThere(lasting)]).toEqual([false, true]);
  });

  it("and speaks at the moment of its removal stays", async () => {
    const by = await ephemeral();
    await pass(minute);
    api.clock.advance(24 * hour);
    const watched = withMeanwhile(
      api.forge,
      () => isServed(by),
      (writes) => writes.some((write) => "remove" in write && write.remove.sk.startsWith("RUNNER#")),
    );
    for (const look of await findDue<RunnerLook>(api.forge, runLookKind))
      if ("runner" in look) await lookAtRunner(watched, look);
    expect(await isThere(by)).toBe(true);
    await work();
    expect(await isThere(by)).toBe(true);
  });
});

it("what a runner left of its steps ends with the job: running ones as it, others skipped", async () => {
  const steps = "on: push\njobs:\n  a: {runs-on: linux, steps: [{run: one}, {run: two}, {run: three}]}\n";
  const shown = async (jobId: number) =>
    (await api.call("GET", `/repos/olga/r${made}/actions/jobs/${jobId}`, { as: owner })).json.steps.map(
      (step: { status: string; completed_at: string | null }) => [step.status, step.completed_at !== null],
    );
  const start = async () => {
    const [by, of] = [await runner(), await makeRun(api, repository, [job("a")], steps)];
    const id = Number((await fetch(by)).id);
    const at = new Date(api.clock.now()).toISOString();
    const told = [
      { id: 0, result: "RESULT_SUCCESS", startedAt: at, stoppedAt: at },
      { id: 1, startedAt: at },
    ];
    await tell(by, id, { steps: told });
    expect(await shown(id)).toEqual([
      ["success", true],
      ["running", false],
      ["waiting", false],
    ]);
    return { of, id };
  };
  const lost = await start();
  await pass(10 * minute);
  expect(await shown(lost.id)).toEqual([
    ["success", true],
    ["failure", true],
    ["skipped", true],
  ]);
  const cancelled = await start();
  await cancelRun(api.forge, cancelled.of);
  expect(await shown(cancelled.id)).toEqual([
    ["success", true],
    ["cancelled", true],
    ["skipped", true],
  ]);
});

describe("look_at_runs", () => {
  it("costs 4 requests when nothing is due, however many runs there are", async () => {
    await run();
    await work();
    const usage = noUsage();
    expect(await startDueLooks(countedBy(api.forge, countInto(usage)))).toBe(0);
    expect([usage.tableRequests, usage.tableReadUnits]).toEqual([4, 4]);
  });

  it("a run that ended, or whose repository is gone, is looked at for nothing more", async () => {
    const of = await run();
    await cancelRun(api.forge, of);
    const gone = await run();
    await api.call("DELETE", `/repos/olga/r${made}`, { as: owner });
    await finishJobs(api);
    await pass(24 * hour);
    expect([await looks(), await findRun(api.forge, repository.id, gone.number)]).toEqual([[], undefined]);
  });

  it("the checks of the commit follow", async () => {
    const commitId = await pushFiles(api, owner, `r${made}`, { files: { a: "1" } });
    const [by] = [await runner(), await run([job("a"), job("b", { needs: ["a"] })], { commitId })];
    const status = async () => {
      await work();
      const { json } = await api.call("GET", `/repos/olga/r${made}/commits/${commitId}/status`, {
        as: owner,
      });
      return [json.state, ...json.statuses.map((one: { status: string }) => one.status).sort()];
    };
    await fetch(by);
    expect(await status()).toEqual(["pending", "pending", "pending"]);
    api.clock.advance(10 * minute);
    expect(await status()).toEqual(["failure", "failure", "success"]);
  });
});

// In the end, since the workers of each test after it would take what it leaves.
describe("many jobs that nobody takes (semantics §60.4)", () => {
  it("256 jobs are cancelled at once; as many that run fail, some with each look", async () => {
    const [by, of] = [await runner(), await run(Array.from({ length: 256 }, () => job("a")))];
    for (let taken = 0; taken < 25; taken += 1) expect(await fetch(by)).toBeDefined();
    const count = async (state: string) => (await states(of)).filter((one) => one === state).length;
    const look = async () => {
      for (const one of await findDue<RunLook>(api.forge, runLookKind)) await lookAtRun(api.forge, one);
      return [await count("running"), await count("waiting")];
    };
    api.clock.advance(10 * minute);
    expect(await look()).toEqual([5, 231]);
    api.clock.advance(1000);
    expect(await look()).toEqual([0, 231]);
    api.clock.advance(24 * hour);
    expect(await look()).toEqual([0, 0]);
  });
});
