import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { appendLogPiece } from "#core/actions/log/log";
import { claimJob } from "#core/actions/queue/claim-job";
import { disabledWorkflowsKey } from "#core/actions/schedule/plans.table";
import { put } from "#core/table/write";
import { type RunWorld, startRuns, workflow } from "./world.ts";

let world: RunWorld;
beforeAll(async () => {
  world = await startRuns();
});
beforeEach(() => world.begin());
afterAll(() => world.api.stop());

const file = ".forgejo/workflows/ci.yml";
const status = async (method: string, path: string, body?: object, as = world.owner) =>
  (await world.call(method, path, body, as)).status;
const chain = `name: CI
on: push
jobs:
  a:
    strategy: {matrix: {os: [x, y]}}
    runs-on: "\${{ matrix.os }}"
    steps: [{run: "true"}]
  b: {needs: a, runs-on: docker, steps: [{run: "true"}]}
  c: {needs: [b], if: always(), runs-on: docker, steps: [{run: "true"}]}
`;
const jobsOf = async (id: number, query = "") =>
  (await world.json("GET", `actions/runs/${id}/jobs${query}`)).jobs.map(
    ({ name, status: state }: { name: string; status: string }) => `${name} ${state}`,
  );

describe("ListActionRuns, ActionRun, ListActionTasks, listWorkflowJobs, listWorkflowRunJobs, getWorkflowJob", () => {
  it("200: filtered by event, states of both families, commit, number and branch, by pages (D-RUNS)", async () => {
    await world.push({ [file]: workflow("push") });
    await world.push({ a: "1" });
    const sha = await world.push({ a: "2" }, { branch: "dev", from: "main" });
    const numbers = async (query: string) =>
      (await world.json("GET", `actions/runs?${query}`)).workflow_runs.map(
        ({ run_number }: { run_number: number }) => run_number,
      );
    expect(await numbers("")).toEqual([3, 2, 1]);
    expect(await numbers("status=cancelled")).toEqual([1]);
    expect(await numbers("status=queued&status=cancelled")).toEqual([3, 2, 1]);
    expect(await numbers("status=completed")).toEqual([1]);
    expect(await numbers("event=schedule")).toEqual([]);
    expect(await numbers("event=schedule&event=push&branch=dev")).toEqual([3]);
    expect(await numbers(`head_sha=${sha}`)).toEqual([3]);
    expect(await numbers("run_number=2")).toEqual([2]);
    expect([await numbers("actor=olga"), await numbers("actor=wim")]).toEqual([[3, 2, 1], []]);
    const page = await world.call("GET", "actions/runs?limit=1&page=2");
    expect([page.json.total_count, page.json.workflow_runs[0].run_number]).toEqual([3, 2]);
    expect(await status("GET", "actions/runs?status=bogus")).toBe(400);
    const tasks = await world.call("GET", "actions/tasks?limit=2&page=2");
    expect([tasks.json.total_count, tasks.json.workflow_runs.length]).toEqual([3, 1]);
    expect(tasks.headers.get("link")).toBeNull();
    const jobs = await world.json("GET", "actions/jobs?status=waiting&limit=1&page=2");
    expect([jobs.total_count, jobs.jobs[0].head_branch]).toEqual([2, "main"]);
    await world.expectWhole();
  });

  it("404: a run or job of another repository; anybody reads a public one, nobody else a private one (D-HIDDEN)", async () => {
    await world.push({ [file]: workflow("push") });
    const { id } = await world.newest();
    const [job] = (await world.json("GET", `actions/runs/${id}/jobs`)).jobs;
    const paths = [`runs/${id}`, `runs/${id}/jobs`, `runs/${id}/attempts/1`, `jobs/${job.id}`];
    const asked = (as: typeof world.owner) =>
      Promise.all(paths.map((path) => status("GET", `actions/${path}`, undefined, as)));
    expect(await asked(world.stranger)).toEqual([200, 200, 200, 200]);
    await world.patch({ private: true });
    expect(await asked(world.stranger)).toEqual([404, 404, 404, 404]);
    await world.begin();
    expect(await asked(world.owner)).toEqual([404, 404, 404, 404]);
  });
});

describe("rerunWorkflowRun, rerunFailedWorkflowRun, rerunWorkflowJob, cancelWorkflowRun, getWorkflowRunAttempt, listWorkflowRunAttemptJobs", () => {
  it("goes on as its jobs end, and can be run again: all, what failed, one (semantics §63.3)", async () => {
    await world.push({ [file]: chain });
    const { id } = await world.newest();
    expect(await jobsOf(id)).toEqual(["a (x) waiting", "a (y) waiting", "b blocked", "c blocked"]);
    expect(await status("POST", `actions/runs/${id}/rerun`)).toBe(400);
    expect(await status("DELETE", `actions/runs/${id}`)).toBe(400);
    await world.work("success", ["x"]);
    await world.work("failure", ["y"]);
    expect(await jobsOf(id)).toEqual(["a (x) success", "a (y) failure", "b skipped", "c waiting"]);
    await world.work("success");
    expect((await world.newest()).conclusion).toBe("failure");
    expect(await status("POST", `actions/runs/${id}/rerun-failed-jobs`, undefined, world.stranger)).toBe(403);
    expect(await status("POST", `actions/runs/${id}/rerun-failed-jobs`)).toBe(201);
    expect(await jobsOf(id)).toEqual(["a (x) success", "a (y) waiting", "b blocked", "c blocked"]);
    const again = await world.newest();
    expect([again.run_attempt, again.previous_attempt_url]).toEqual([
      2,
      expect.stringContaining("attempts/1"),
    ]);
    const former = await world.json("GET", `actions/runs/${id}/attempts/1`);
    expect([former.run_attempt, former.status]).toEqual([1, "failure"]);
    const { jobs } = await world.json("GET", `actions/runs/${id}/attempts/1/jobs`);
    expect((await world.json("GET", `actions/jobs/${jobs[1].id}`)).conclusion).toBe("failure");
    expect(await status("GET", `actions/runs/${id}/attempts/7`)).toBe(404);
    for (const label of ["y", "docker", "docker"]) await world.work("success", [label]);
    expect((await world.newest()).status).toBe("success");
    const last = (await world.json("GET", `actions/runs/${id}/jobs`)).jobs[3];
    const one = await world.json("POST", `actions/runs/${id}/jobs/${last.id}/rerun`);
    expect([one.name, one.status, one.run_attempt]).toEqual(["c", "waiting", 3]);
    await world.json("POST", `actions/runs/${id}/cancel`);
    expect((await world.json("POST", `actions/runs/${id}/rerun`)).run_attempt).toBe(4);
    expect(await jobsOf(id, "?status=waiting")).toEqual(["a (x) waiting", "a (y) waiting"]);
    await world.expectWhole();
  });
});

describe("downloadActionsRunJobLogs, deleteActionRun", () => {
  it("the log can be read while it grows, and goes with its run; 416: a range past its end", async () => {
    await world.push({ [file]: workflow("push") });
    const { id } = await world.newest();
    const [{ id: jobId }] = (await world.json("GET", `actions/runs/${id}/jobs`)).jobs;
    expect(await status("GET", `actions/jobs/${jobId}/logs`)).toBe(404);
    const level = { kind: "repository", repositoryId: world.id } as const;
    const claimed = await claimJob(world.api.forge, { runnerId: 1, level, labels: ["docker"] });
    const place = { repositoryId: world.id, jobNumber: claimed?.job.number ?? 0 };
    await appendLogPiece(world.api.forge, place, { first: 0, lines: ["one"], isLast: false });
    expect((await world.call("GET", `actions/jobs/${jobId}/logs`)).text).toBe("one\n");
    await appendLogPiece(world.api.forge, place, { first: 1, lines: ["two"], isLast: true });
    expect((await world.call("GET", `actions/jobs/${jobId}/logs`)).text).toBe("one\ntwo\n");
    const log = `/repos/olga/${world.name}/actions/jobs/${jobId}/logs`;
    const past = { as: world.owner, headers: { range: "bytes=8-" } };
    expect((await world.api.call("GET", log, past)).status).toBe(416);
    await world.json("POST", `actions/runs/${id}/cancel`);
    expect(await status("DELETE", `actions/runs/${id}`, undefined, world.stranger)).toBe(403);
    expect(await status("DELETE", `actions/runs/${id}`)).toBe(204);
    expect(await status("GET", `actions/runs/${id}`)).toBe(404);
    expect(await status("GET", `actions/jobs/${jobId}/logs`)).toBe(404);
    expect(await world.runs()).toEqual([]);
    await world.finish();
    await world.expectWhole();
  });
});

describe("DispatchWorkflow", () => {
  const inputs =
    "{workflow_dispatch: {inputs: {who: {required: true}, loud: {type: boolean, default: false}, size: {type: choice, options: [s, l]}}}}";
  const path = "actions/workflows/ci.yml/dispatches";

  it("204, 201 with return_run_info, 200 with return_run_details; 400, 404, 403, 422, 423 (semantics §63.5-4)", async () => {
    await world.letWrite();
    await world.push({ [file]: workflow(inputs), ".forgejo/workflows/other.yml": workflow("push") });
    await world.push({ a: "1" }, { branch: "dev", from: "main" });
    const ask = (ref: string, given: object, as = world.writer) =>
      status("POST", path, { ref, inputs: given }, as);
    expect(await ask("main", {})).toBe(400);
    expect(await ask("main", { who: "me" })).toBe(204);
    expect(await ask("", { who: "me" })).toBe(400);
    expect(await ask("nowhere", { who: "me" })).toBe(404);
    expect(await ask("main", { who: "me", size: "xl" })).toBe(400);
    expect(await ask("main", { who: "me" }, world.stranger)).toBe(403);
    const body = { ref: "refs/heads/dev", inputs: { who: "me", loud: "true" }, return_run_info: true };
    const { id, jobs } = await world.json("POST", path, body);
    const run = await world.json("GET", `actions/runs/${id}`);
    expect([jobs, run.event, run.head_branch, run.name]).toEqual([
      ["build"],
      "workflow_dispatch",
      "dev",
      "CI",
    ]);
    const { return_run_info: _, ...plain } = body;
    const told = await world.call("POST", `${path}?return_run_details=true`, plain);
    const { run_url, html_url, workflow_run_id } = told.json;
    expect([told.status, run_url, html_url]).toEqual([
      200,
      expect.stringContaining(`actions/runs/${workflow_run_id}`),
      (await world.json("GET", `actions/runs/${workflow_run_id}`)).html_url,
    ]);
    expect(await status("POST", "actions/workflows/none.yml/dispatches", { ref: "main" })).toBe(404);
    expect(await status("POST", "actions/workflows/other.yml/dispatches", { ref: "main" })).toBe(422);
    expect(await status("PUT", "actions/workflows/ci.yml/disable")).toBe(204);
    expect(await ask("main", { who: "me" })).toBe(403);
    await world.patch({ archived: true });
    expect(await ask("main", { who: "me" })).toBe(423);
  });
});

describe("ActionsDisableWorkflow", () => {
  it("422: 200 are switched off; 204 once one of them is on again", async () => {
    await world.push({ [file]: workflow("push"), ".forgejo/workflows/other.yml": workflow("push") });
    const names = ["other.yml", ...Array.from({ length: 199 }, (_, at) => `gone-${at}.yml`)];
    await world.api.forge.table.write(put({ ...disabledWorkflowsKey(world.id), names, v: 1, _v: 1 }));
    const flip = (name: string, word: string) => status("PUT", `actions/workflows/${name}/${word}`);
    expect(await flip("ci.yml", "disable")).toBe(422);
    expect([await flip("other.yml", "enable"), await flip("ci.yml", "disable")]).toEqual([204, 204]);
  });
});

describe("ActionsListRepositoryWorkflows, ActionsGetWorkflow, ActionsEnableWorkflow, ActionsDisableWorkflow, ActionsListWorkflowRuns", () => {
  it("200: those of the default branch, with their state, and why a file is none", async () => {
    await world.letWrite();
    expect(await world.json("GET", "actions/workflows")).toEqual({ workflows: [], total_count: 0 });
    await world.push({
      [file]: workflow("push"),
      ".forgejo/workflows/deep/b.yaml": "jobs: {}",
      ".forgejo/workflows/notes.md": "words",
    });
    await world.json("PUT", "actions/workflows/ci.yml/disable", undefined, world.writer);
    const { workflows, total_count } = await world.json("GET", "actions/workflows");
    expect([
      total_count,
      workflows.map(({ id, state }: { id: string; state: string }) => [id, state]),
    ]).toEqual([
      2,
      [
        ["ci.yml", "disabled_manually"],
        ["deep/b.yaml", "active"],
      ],
    ]);
    expect((await world.json("GET", "actions/workflows/deep/b.yaml")).problem).toContain("on: is missing");
    expect(await status("GET", "actions/workflows/none.yml")).toBe(404);
    expect(await status("PUT", "actions/workflows/none.yml/enable")).toBe(404);
    expect(await status("PUT", "actions/workflows/ci.yml/enable", undefined, world.stranger)).toBe(403);
    await world.json("PUT", "actions/workflows/ci.yml/enable");
    await world.push({ a: "1" });
    const runs = await world.json("GET", "actions/workflows/ci.yml/runs");
    expect(runs.workflow_runs.map((run: { workflow_id: string }) => run.workflow_id)).toContain("ci.yml");
  });
});
