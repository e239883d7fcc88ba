import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startDueSchedules } from "#core/actions/schedule/due-schedules";
import { scheduleDueKind } from "#core/actions/schedule/plans.table";
import { countedBy } from "#core/forge";
import { dueWrite } from "#core/jobs/due";
import { countInto, noUsage } from "#core/meter";
import { makeForge } from "#tests/support/forge";
import { writeMany } from "#tests/support/write-many";
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

describe("schedules", () => {
  it("are those of the first folder that is there, of the texts that can be read (semantics §11.5-5, -6)", async () => {
    await world.push({ ".github/workflows/a.yml": workflow(everyFive) });
    expect(await world.crons()).toEqual(["*/5 * * * *"]);
    await world.push({ [file]: workflow("push") });
    expect(await world.crons()).toEqual([]);
    const bad = "\n  schedule:\n    - cron: bad\n    - cron: '@daily'\n    - cron: '0 0 30 2 *'";
    await world.push({ [file]: workflow(bad), ".forgejo/workflows/deep/b.yaml": workflow(everyFive) });
    expect((await world.crons()).sort()).toEqual(["*/5 * * * *", "@daily"]);
    await world.push({ ".forgejo/workflows/broken.yml": "on: [\n" });
    expect((await world.crons()).sort()).toEqual(["*/5 * * * *", "@daily"]);
  });

  it("a run that a push made is not cancelled with the unit (semantics §11.5-8)", async () => {
    await world.push({ [file]: workflow(`\n  push:${everyFive}`) });
    await world.pass(5);
    await world.patch({ has_actions: false });
    await world.patch({ has_actions: true });
    await world.finish();
    expect(await world.runs()).toEqual(["schedule cancelled", "push waiting"]);
    expect(await world.work()).toBe("build");
  });

  it("go with a transfer", async () => {
    await world.push(scheduled);
    await world.pass(5);
    const { finishJobs } = await import("#tests/support/jobs");
    await world.json("POST", "transfer", { new_owner: "wim" });
    await world.json("POST", "transfer/accept", undefined, world.writer);
    await finishJobs(world.api);
    expect(await world.crons()).toEqual([]);
    const { json } = await world.api.call("GET", `/repos/wim/${world.name}/actions/runs`, {
      as: world.writer,
    });
    expect(json.workflow_runs.map(({ status }: { status: string }) => status)).toEqual(["cancelled"]);
  });

  it("a workflow that is switched off does not run", async () => {
    await world.push(scheduled);
    await world.json("PUT", "actions/workflows/ci.yml/disable");
    await world.pass(5);
    expect(await world.runs()).toEqual([]);
    await world.json("PUT", "actions/workflows/ci.yml/enable");
    await world.pass(10);
    expect(await world.runs()).toEqual(waiting);
  });
});

it("a tick asks as much with 10,000 plans that aren't due as with none", async () => {
  const { forge, stop } = await makeForge({ simulation: false }); // it looks at every item before it is written
  const costOf = async () => {
    const usage = noUsage();
    const found = await startDueSchedules(countedBy(forge, countInto(usage)));
    return [found, usage.tableRequests, usage.tableReadUnits];
  };
  const before = await costOf();
  const later = forge.clock.now() + 3_600_000;
  const plan = (at: number) => dueWrite(scheduleDueKind, later, `9${at}`, { repositoryId: 0, at: 0 });
  await writeMany(
    forge,
    Array.from({ length: 10_000 }, (_, at) => plan(at)),
  );
  expect([before[0], before[1], await costOf()]).toEqual([0, 4, before]);
  await stop();
});
