import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type Repository, repositoryKey } from "#core/repository/repository.table";
import { put } from "#core/table/write";
import { type RunWorld, startRuns, workflow } from "./world.ts";

let world: RunWorld;
beforeAll(async () => {
  world = await startRuns();
});
beforeEach(() => world.begin());
afterAll(() => world.api.stop());

const folder = ".forgejo/workflows";
const plain = "runs-on: docker, steps: [{run: 'true'}]";
const list = (length: number) => JSON.stringify(Array.from({ length }, (_, at) => at));
const bomb = ["a: &a [x,x,x,x,x,x,x,x]"]
  .concat(
    [..."bcdefghi"].map((name, at) => {
      const former = "abcdefgh"[at];
      return `${name}: &${name} [${Array.from({ length: 8 }, () => `*${former}`).join(",")}]`;
    }),
  )
  .join("\n");

it("each bad workflow fails a run that says why, and its neighbor runs", async () => {
  await world.push({
    [`${folder}/bomb.yml`]: `${bomb}\n${workflow("push")}`,
    [`${folder}/circle.yml`]: `on: push\njobs: {a: {needs: b, ${plain}}, b: {needs: a, ${plain}}}\n`,
    [`${folder}/good.yml`]: workflow("push"),
    [`${folder}/large.yml`]: `${workflow("push")}# ${"x".repeat(1024 * 1024)}\n`,
    [`${folder}/matrix.yml`]: `on: push
jobs: {a: {strategy: {matrix: {x: ${list(100)}, y: ${list(100)}}}, ${plain}}}\n`,
    [`${folder}/jobs.yml`]: `on: push
jobs: {a: {strategy: {matrix: {x: ${list(300)}}}, ${plain}}}\n`,
    [`${folder}/output.yml`]: `on: push
jobs:
  a: {${plain}}
  b: {needs: a, strategy: {matrix: "\${{ fromJSON(needs.a.outputs.m) }}"}, ${plain}}\n`,
  });
  const { workflow_runs: runs } = await world.json("GET", "actions/runs");
  const told = Object.fromEntries(
    runs.map((run: { workflow_id: string; status: string; problem?: string }) => [
      run.workflow_id,
      `${run.status}: ${run.problem ?? ""}`,
    ]),
  );
  expect(told).toEqual({
    "bomb.yml": expect.stringMatching(/^failure: .+/),
    "circle.yml": expect.stringContaining("needs itself"),
    "good.yml": "waiting: ",
    "large.yml": expect.stringContaining("larger than"),
    "matrix.yml": expect.stringContaining("more than 1024 combinations"),
    "jobs.yml": expect.stringContaining("more than 256 jobs"),
    "output.yml": expect.stringContaining("expressions can't make one here"),
  });
  await world.expectWhole();
});

it("expressions that never come to an end, or ask for more and more, cost an empty text", async () => {
  const [endless, nested] = [
    "${{ ".repeat(150),
    `\${{ ${"format('{0}{0}', ".repeat(24)}'x'${")".repeat(24)} }}`,
  ];
  await world.push({
    [`${folder}/a.yml`]: `run-name: "${endless}"\n${workflow("push")}`,
    [`${folder}/b.yml`]: `run-name: "${nested}"\n${workflow("push")}`,
  });
  const { workflow_runs: runs } = await world.json("GET", "actions/runs");
  const names = runs.map(({ name }: { name: string }) => name.length);
  expect(runs.map(({ status }: { status: string }) => status)).toEqual(["waiting", "waiting"]);
  expect(Math.max(...names)).toBeLessThanOrEqual(255);
});

it("a schedule that never fires is none, and one of a second waits for the next minute (semantics §11.1)", async () => {
  const crons = ["0 0 30 2 *", "@every 1s", "* * * * * *", "nonsense"].map((cron) => `{cron: "${cron}"}`);
  await world.push({ [`${folder}/ci.yml`]: workflow(`{schedule: [${crons.join(", ")}]}`) });
  expect(await world.crons()).toEqual(["@every 1s"]);
  await world.pass(1);
  expect(await world.runs()).toEqual(["schedule waiting"]);
});

it("a default branch that is not there starts nothing, and leaves the others as they are", async () => {
  const { forge } = world.api;
  await world.json("POST", "issues", { title: "before the first push" });
  await world.patch({ has_actions: true });
  await world.pass(1);
  const dispatches = "actions/workflows/ci.yml/dispatches";
  expect((await world.call("POST", dispatches, { ref: "main" })).status).toBe(404);
  expect(await world.json("GET", "actions/workflows")).toEqual({ workflows: [], total_count: 0 });
  const text = workflow("{push: {}, issues: {}, workflow_dispatch: {}, schedule: [{cron: '* * * * *'}]}");
  await world.push({ [`${folder}/ci.yml`]: text });
  expect((await world.json("PATCH", "", { default_branch: "nowhere" })).default_branch).toBe("main");
  const repository = await forge.table.get<Repository>(repositoryKey(world.id));
  await forge.table.write(put({ ...(repository as Repository), defaultBranch: "gone" }));
  await world.push({ a: "1" }, { branch: "dev", from: "main" });
  await world.json("POST", "issues", { title: "afterwards" });
  await world.pass(1);
  await world.pass(1);
  expect(await world.runs()).toEqual(["push waiting", "push waiting"]);
  expect(await world.crons()).toEqual([]);
  expect((await world.call("POST", dispatches, { ref: "dev" })).status).toBe(204);
});
