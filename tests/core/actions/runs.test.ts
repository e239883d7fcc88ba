import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Run } from "#core/actions/actions.table";
import { cancelRun, updateJobState } from "#core/actions/job/end-job";
import { appendLogPiece, readLog } from "#core/actions/log/log";
import { claimJob, findWaiting } from "#core/actions/queue/claim-job";
import { type RunnerLevel, waitCounterKey } from "#core/actions/queue/queue.table";
import { waitingRows } from "#core/actions/queue/waiting";
import { createRun, type NewJob, type NewRun } from "#core/actions/run/create-run";
import { findJobOfNumber, findRun, findTask } from "#core/actions/run/run";
import { checkRepository, repairFindings } from "#core/lifecycle/check/check";
import { put } from "#core/table/write";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository } from "#tests/support/code";
import { findingsAcross } from "#tests/support/findings";
import { finishJobs } from "#tests/support/jobs";
import { holdTimeStill } from "#tests/support/still-time";

let api: TestApi;
let owner: Caller;
let repositoryId = 0;
let made = 0;
const global: RunnerLevel = { kind: "global" };

beforeAll(async () => {
  api = await makeApi();
  owner = await api.makeUser({ name: "olga" });
});
beforeEach(async () => {
  made += 1;
  repositoryId = await makeRepository(api, owner, `r${made}`);
});
afterAll(() => api.stop());

const job = (key: string, more: Partial<NewJob> = {}): NewJob => ({
  ...{ key, name: key, needs: [], runsOn: [`label-${made}`] },
  ...more,
});
const newRun = (jobs: readonly NewJob[]): NewRun => ({
  ...{ repositoryId, ownerId: owner.user.id, title: "words", workflow: "ci.yml" },
  ...{ workflowPath: ".forgejo/workflows/ci.yml", workflowName: "ci", event: "push", ref: "refs/heads/main" },
  ...{
    commitId: "a".repeat(40),
    actorId: owner.user.id,
    jobs,
    source: { workflow: "on: push", event: "{}" },
  },
});
async function make(...jobs: NewJob[]): Promise<Run> {
  const run = await createRun(api.forge, newRun(jobs));
  if (run === undefined) throw new Error("the run was refused");
  return run;
}
const claim = (level: RunnerLevel = global, runnerId = 1, labels = [`label-${made}`, "other"]) =>
  claimJob(api.forge, { runnerId, level, labels });
const statesOf = async ({ number }: Run) => {
  const run = await findRun(api.forge, repositoryId, number);
  return [run?.state, ...(run?.jobs ?? []).map(({ state }) => state)];
};
const end = async (run: Run, at: number, result: "success" | "failure") =>
  updateJobState(
    api.forge,
    { repositoryId, runNumber: run.number, jobNumber: run.jobs[at]?.number ?? 0 },
    result,
  );
const text = async (jobNumber: number) => {
  const pieces: Uint8Array[] = [];
  const task = await findTask(api.forge, repositoryId, jobNumber);
  if (task === undefined) return "";
  for await (const piece of readLog(api.forge, repositoryId, task)) pieces.push(piece);
  return Buffer.concat(pieces).toString();
};

describe("claimJob", () => {
  it("gives one job to one of 50 runners that ask at once (semantics §60.6-4)", async () => {
    const run = await make(job("a"));
    const asked = await Promise.all(Array.from({ length: 50 }, (_, at) => claim(global, at + 1)));
    const got = asked.filter((one) => one !== undefined);
    expect(got).toHaveLength(1);
    expect(await statesOf(run)).toEqual(["running", "running"]);
    const task = await findTask(api.forge, repositoryId, run.jobs[0]?.number ?? 0);
    expect(task?.runnerId).toBe(got[0]?.job.runnerId);
    expect(await claim()).toBeUndefined();
  });

  it("gives different jobs of a run to runners that ask at once", async () => {
    holdTimeStill();
    await make(...["a", "b", "c", "d", "e"].map((key) => job(key)));
    const got = await Promise.all(Array.from({ length: 5 }, (_, at) => claim(global, at + 1)));
    expect(got.map((one) => one?.job.key).sort()).toEqual(["a", "b", "c", "d", "e"]);
  });

  it("wants all labels of a job, and gives the run that has waited longest", async () => {
    const [one, other] = [`one-${made}`, `other-${made}`];
    await make(job("both", { runsOn: [other, one] }));
    api.clock.advance(1000);
    await make(job("first", { runsOn: [one] }));
    await make(job("none", { runsOn: [] }));
    expect(await claim(global, 1, [other])).toBeUndefined();
    expect((await claim(global, 1, [one, other]))?.job.key).toBe("both");
    expect((await claim(global, 1, [one, other]))?.job.key).toBe("first");
    expect(await claim(global, 1, [one, other])).toBeUndefined();
  });

  it("looks at the level: everybody's, the owner's, the repository's, nobody else's", async () => {
    const level = { kind: "repository", repositoryId } as const;
    const levels: RunnerLevel[] = [global, { kind: "owner", ownerId: owner.user.id }, level];
    await make(job("a"), job("b"), job("c"));
    expect(await claim({ kind: "repository", repositoryId: repositoryId + 1 })).toBeUndefined();
    expect(await claim({ kind: "owner", ownerId: owner.user.id + 1 })).toBeUndefined();
    const got: unknown[] = [];
    for (const one of levels) got.push((await claim(one))?.job.key);
    expect(got).toEqual(["a", "b", "c"]);
  });

  it("moves the counters of the levels when a job begins to wait, and at no other time (semantics §60.3)", async () => {
    const level = { kind: "repository", repositoryId } as const;
    const counted = async () => (await api.forge.table.get(waitCounterKey(level)))?.n;
    expect(await counted()).toBeUndefined();
    const run = await make(job("a"), job("b", { needs: ["a"] }));
    expect(await counted()).toBe(1);
    await claim(level);
    expect(await counted()).toBe(1);
    await end(run, 0, "success");
    expect(await counted()).toBe(2);
  });

  it("passes over a repository without Actions, and leaves its run waiting (semantics §11.5-8)", async () => {
    const run = await make(job("a"));
    await api.call("PATCH", `/repos/olga/r${made}`, { as: owner, body: { has_actions: false } });
    expect([await claim(), await statesOf(run)]).toEqual([undefined, ["waiting", "waiting"]]);
    const seeker = { level: global, labels: [`label-${made}`] };
    expect(await findWaiting(api.forge, seeker)).toEqual([]);
  });
});

describe("updateJobState, cancelRun", () => {
  it("wakes what waited in the same write, and a job that is over stays as it is (semantics §60.6-6)", async () => {
    const run = await make(job("a"), job("b", { needs: ["a"] }));
    expect(await statesOf(run)).toEqual(["waiting", "waiting", "blocked"]);
    await claim();
    expect(await end(run, 0, "success")).toBe("success");
    expect(await statesOf(run)).toEqual(["waiting", "success", "waiting"]);
    expect(await end(run, 0, "failure")).toBe("success");
    expect((await claim())?.job.key).toBe("b");
    await cancelRun(api.forge, run);
    expect(await end(run, 1, "success")).toBe("cancelled");
    expect(await statesOf(run)).toEqual(["cancelled", "success", "cancelled"]);
  });

  it("a cancelled run waits in no queue, and a claim at the same time ends one way", async () => {
    const run = await make(job("a"));
    const [claimed] = await Promise.all([claim(), cancelRun(api.forge, run)]);
    expect(await statesOf(run)).toEqual(["cancelled", "cancelled"]);
    expect(await findWaiting(api.forge, { level: global, labels: [`label-${made}`] })).toEqual([]);
    if (claimed !== undefined) expect(await end(run, 0, "success")).toBe("cancelled");
  });

  it("jobs lead to their runs by number, those of another run not", async () => {
    const runs = [await make(job("a"), job("b")), await make(job("c"))];
    const numbers = runs.flatMap(({ jobs }) => jobs.map(({ number }) => number));
    const found = await Promise.all(
      numbers.map((number) => findJobOfNumber(api.forge, repositoryId, number)),
    );
    expect(found.map((one) => [one?.run.number, one?.job?.key])).toEqual([
      [1, "a"],
      [1, "b"],
      [2, "c"],
    ]);
    expect(await findJobOfNumber(api.forge, repositoryId, 99)).toBeUndefined();
  });
});

describe("appendLogPiece", () => {
  it("takes lines once, none that lie ahead, and none once it is sealed (semantics §60.6-5)", async () => {
    const run = await make(job("a"));
    const jobNumber = run.jobs[0]?.number ?? 0;
    const append = (first: number, lines: string[], isLast = false) =>
      appendLogPiece(api.forge, { repositoryId, jobNumber }, { first, lines, isLast });
    expect(await append(0, ["early"])).toEqual({ kind: "none" });
    await claim();
    expect(await append(0, ["one", "two"])).toEqual({ kind: "taken", lines: 2 });
    expect(await append(1, ["two", "three"])).toEqual({ kind: "taken", lines: 3 });
    expect(await append(9, ["nine"])).toEqual({ kind: "taken", lines: 3 });
    expect(await text(jobNumber)).toBe("one\ntwo\nthree\n");
    await Promise.all([append(3, ["four"]), append(3, ["four"])]);
    expect(await append(4, [], true)).toEqual({ kind: "taken", lines: 4 });
    expect(await append(4, ["five"])).toEqual({ kind: "sealed" });
    expect(await append(3, ["four"])).toEqual({ kind: "taken", lines: 4 });
    expect(await text(jobNumber)).toBe("one\ntwo\nthree\nfour\n");
  });
});

it("invariant 49: a place in a queue whose run is gone, or waits there no more, is found and taken away", async () => {
  const [waiting, over] = [await make(job("a")), await make(job("b"))];
  const rows = [{ ...waiting, number: 9_999 }, over].flatMap(waitingRows);
  await cancelRun(api.forge, over);
  for (const row of rows) await api.forge.table.write(put(row));
  const found = (await findingsAcross(api)).filter(({ invariant }) => invariant === 49);
  expect(found.map(({ key }) => key).sort()).toEqual(rows.map(({ pk, sk }) => `${pk} / ${sk}`).sort());
  await repairFindings(api.forge, found);
  expect((await api.forge.table.getAll([...rows, ...waitingRows(waiting)])).size).toBe(3);
  expect((await findingsAcross(api)).filter(({ invariant }) => invariant === 49)).toEqual([]);
});

it("a repository that is deleted takes its runs along, from all queues; one that moves, to its new owner's", async () => {
  await make(job("a"));
  const other = await api.makeUser({ name: `heir-${made}` });
  const path = `/repos/olga/r${made}`;
  const given = await api.call("POST", `${path}/transfer`, { as: owner, body: { new_owner: other.name } });
  expect(given.status).toBe(201);
  expect((await api.call("POST", `${path}/transfer/accept`, { as: other })).status).toBe(202);
  await finishJobs(api);
  const seekers = [owner, other].map(({ user }) => ({ kind: "owner", ownerId: user.id }) as const);
  const waiting = async () =>
    Promise.all(
      [global, ...seekers].map(async (level) => {
        return (await findWaiting(api.forge, { level, labels: [`label-${made}`] })).length;
      }),
    );
  expect(await waiting()).toEqual([1, 0, 1]);
  expect(await checkRepository(api.forge, repositoryId)).toEqual([]);
  await api.call("DELETE", `/repos/${other.name}/r${made}`, { as: other });
  api.clock.advance(8 * 24 * 3_600_000);
  await finishJobs(api);
  expect(await waiting()).toEqual([0, 0, 0]);
  expect(await findRun(api.forge, repositoryId, 1)).toBeUndefined();
  expect(await api.forge.table.get(waitCounterKey({ kind: "repository", repositoryId }))).toBeUndefined();
});
