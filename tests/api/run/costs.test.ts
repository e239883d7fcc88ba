import { afterAll, beforeAll, expect, it } from "vitest";
import { claimJob } from "#core/actions/queue/claim-job";
import { type Plans, plansKey } from "#core/actions/schedule/plans.table";
import { runSchedules } from "#core/actions/schedule/schedule";
import { countedBy, type Forge } from "#core/forge";
import { countInto, noUsage } from "#core/meter";
import { repositoryEventsWorker } from "#functions/workers/repository-events";
import { makeApi } from "#tests/support/api";
import { pushFiles } from "#tests/support/code";
import { everyFive, RunWorld } from "./world.ts";

let world: RunWorld;
beforeAll(async () => {
  const api = await makeApi({ simulation: false });
  const owner = await api.makeUser({ name: "olga" });
  world = new RunWorld(api, [owner, await api.makeUser({ name: "wim" }), owner]);
  await world.begin();
});
afterAll(() => world.api.stop());

async function usageOf(act: (forge: Forge) => Promise<unknown>): Promise<string> {
  const usage = noUsage();
  await act(countedBy(world.api.forge, countInto(usage)));
  const { tableRequests, tableReadUnits, tableWriteUnits } = usage;
  return `${tableRequests} requests, ${tableReadUnits} r, ${tableWriteUnits} w`;
}

it("a push of three jobs, a job that is taken and a schedule ask this much of the table", async () => {
  const three = ["a", "b", "c"]
    .map((key) => `  ${key}: {runs-on: docker, steps: [{run: "true"}]}`)
    .join("\n");
  const text = `on:\n  push:${everyFive}\njobs:\n${three}\n`;
  await world.push({ ".forgejo/workflows/ci.yml": text });
  const seeker = { runnerId: 1, level: { kind: "global" }, labels: ["docker"] } as const;
  const claimed = await usageOf((forge) => claimJob(forge, seeker));
  await world.finish();
  const { specs = [] } = (await world.api.forge.table.get<Plans>(plansKey(world.id))) ?? {};
  world.api.clock.advance(5 * 60_000);
  const due = { repositoryId: world.id, at: specs[0]?.nextAt ?? 0 };
  const scheduled = await usageOf((forge) => runSchedules(forge, due));
  await world.finish();
  await world.json(
    "POST",
    `actions/runs/${(await world.json("GET", "actions/runs?event=push")).workflow_runs[0].id}/cancel`,
  );
  await world.finish();
  await pushFiles(world.api, world.owner, world.name, { files: { a: "1" } });
  // In the order in which events come, statuses may have to be written twice.
  const followed = await usageOf((forge) =>
    world.api.queues.drain("repository-events", (event) => repositoryEventsWorker(forge, event)),
  );
  expect(Number.parseInt(followed, 10)).toBeLessThanOrEqual(65);
  expect([claimed, scheduled]).toEqual(["5 requests, 4 r, 12 w", "13 requests, 9 r, 30 w"]);
});
