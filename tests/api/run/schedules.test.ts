import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Plans, plansKey } from "#core/actions/schedule/plans.table";
import { runSchedules } from "#core/actions/schedule/schedule";
import { tick } from "#functions/workers/tick";
import { everyFive, type RunWorld, startRuns, workflow } from "./world.ts";

let world: RunWorld;
beforeAll(async () => {
  world = await startRuns();
});
beforeEach(() => world.begin());
afterAll(() => world.api.stop());

const file = ".forgejo/workflows/ci.yml";
const scheduled = { [file]: workflow(everyFive) };
const waiting = ["schedule waiting"];
const cancelled = ["schedule cancelled"];

describe("schedules", () => {
  it("run from the default branch at their times, each once, as waiting tasks (ST-3, semantics §11.5-1)", async () => {
    await world.push(scheduled, { message: "Title\n\nbody\n" });
    const { specs = [] } = (await world.api.forge.table.get<Plans>(plansKey(world.id))) ?? {};
    const aheadSeconds = (specs[0]?.nextAt ?? 0) - world.api.clock.now() / 1000;
    expect(aheadSeconds).toBeGreaterThan(0);
    expect(aheadSeconds).toBeLessThanOrEqual(300);
    await world.pass(0);
    expect(await world.runs()).toEqual([]);
    await world.pass(5);
    await world.pass(0);
    expect(await world.runs()).toEqual(waiting);
    const { workflow_runs: tasks, total_count } = await world.json("GET", "actions/tasks");
    expect([total_count, tasks[0]]).toMatchObject([
      1,
      {
        status: "waiting",
        event: "schedule",
        head_branch: "main",
        workflow_id: "ci.yml",
        display_title: "Title",
      },
    ]);
    await world.pass(10); // what lies within a minute of a run is passed over (semantics §11.2)
    expect(await world.runs()).toEqual([...waiting, ...waiting]);
    await world.expectWhole();
  });

  it("go with the actions unit, with their waiting and running tasks, and come back with it (B-10a, B-10d, ST-3, TR-2, semantics §11.5-2, -3)", async () => {
    await world.push(scheduled);
    await world.pass(5);
    expect(await world.work()).toBe("build");
    await world.pass(10);
    await world.patch({ has_actions: false });
    expect(await world.crons()).toEqual([]);
    await world.patch({ has_actions: true });
    await world.finish();
    expect(await world.crons()).toEqual(["*/5 * * * *"]);
    expect(await world.runs()).toEqual(["schedule cancelled", "schedule success"]);
    await world.pass(5);
    expect(await world.runs()).toEqual(["schedule waiting", "schedule cancelled", "schedule success"]);
  });

  it("go with another default branch until somebody pushes to it (B-10c, TR-2, semantics §11.5-4)", async () => {
    await world.push(scheduled);
    await world.push({ [file]: null, "README.md": "dev" }, { branch: "dev", from: "main" });
    await world.pass(5);
    expect(await world.runs()).toEqual(waiting);
    await world.patch({ default_branch: "dev" });
    expect([await world.crons(), await world.runs()]).toEqual([[], cancelled]);
    await world.finish();
    await world.pass(5);
    expect([await world.crons(), await world.runs()]).toEqual([[], cancelled]);
    await world.push(scheduled, { branch: "dev" });
    expect(await world.crons()).toEqual(["*/5 * * * *"]);
    await world.push({ other: "file" }, { branch: "main" });
    await world.pass(5);
    expect(await world.runs()).toEqual(["schedule waiting", "schedule cancelled"]);
  });

  it("go when the default branch is renamed (B-10c)", async () => {
    await world.push(scheduled);
    await world.pass(5);
    await world.json("PATCH", "branches/main", { name: "trunk" });
    await world.finish();
    expect([await world.crons(), await world.runs()]).toEqual([[], cancelled]);
  });

  it("go with the archive, and come back from it (semantics §11.5-7)", async () => {
    await world.push(scheduled);
    await world.pass(5);
    await world.patch({ archived: true });
    expect([await world.crons(), await world.runs()]).toEqual([[], cancelled]);
    await world.pass(10);
    expect(await world.runs()).toEqual(cancelled);
    await world.patch({ archived: false });
    await world.finish();
    expect(await world.crons()).toEqual(["*/5 * * * *"]);
  });

  it("two workers at once make one run of what is due", async () => {
    await world.push(scheduled);
    const { specs = [] } = (await world.api.forge.table.get<Plans>(plansKey(world.id))) ?? {};
    world.api.clock.advance(5 * 60_000);
    const due = { repositoryId: world.id, at: specs[0]?.nextAt ?? 0 };
    await Promise.all([tick(world.api.forge), tick(world.api.forge)]);
    await Promise.all([runSchedules(world.api.forge, due), runSchedules(world.api.forge, due)]);
    await world.finish();
    expect(await world.runs()).toEqual(waiting);
  });
});
