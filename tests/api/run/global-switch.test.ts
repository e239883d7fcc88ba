import { afterAll, beforeAll, expect, it } from "vitest";
import { tick } from "#functions/workers/tick";
import { finishEvents } from "#tests/api/repository/furnish";
import { everyFive, type RunWorld, startRuns, workflow } from "./world.ts";

let world: RunWorld;
beforeAll(async () => {
  world = await startRuns();
  await world.begin();
});
afterAll(() => world.api.stop());

it("Actions that are switched off for all take every plan and its tasks with the next tick (B-10b, TR-2)", async () => {
  await world.push({ ".forgejo/workflows/ci.yml": workflow(everyFive) });
  await world.pass(5);
  expect(await world.runs()).toEqual(["schedule waiting"]);
  const config = { ...world.api.forge.config, disabledRepoUnits: ["repo.actions" as const] };
  const off = { ...world.api, forge: { ...world.api.forge, config } };
  await tick(off.forge);
  await finishEvents(off);
  expect([await world.crons(), await world.runs()]).toEqual([[], ["schedule cancelled"]]);
});
