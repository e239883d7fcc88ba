import { afterAll, beforeAll, expect, it } from "vitest";
import { resendOverdue } from "#core/events/outbox";
import { listJobs } from "#core/jobs/job";
import { runJob } from "#core/jobs/run";
import { jobKinds } from "#functions/workers/job-kinds";
import { refsOf } from "#tests/git/client/remotes";
import { findingsOf } from "#tests/support/findings";
import { workOnMirrors } from "#tests/support/mirror-work";
import { type ImportWorld, makeImportWorld, type Place } from "./world.ts";

let world: ImportWorld;
beforeAll(async () => {
  world = await makeImportWorld();
  await world.api.makeUser({ isAdmin: true });
});
afterAll(() => world.api.stop());

/** Works on the job once; its lease is over then. */
async function work(): Promise<void> {
  for (const { id } of await listJobs(world.api.forge)) {
    if (id.startsWith("import-bundle")) await runJob(world.api.forge, jobKinds, id, { budgetMs: 60_000 });
  }
}

/** The push events that were sent, or wait to be sent. */
async function pushEvents({ id }: Place): Promise<number> {
  await resendOverdue(world.api.forge);
  const sent = await world.api.queues.take("repository-events");
  const ours = sent.filter(({ kind, repositoryId }) => kind === "push" && repositoryId === id);
  return new Set(ours.map(({ eventId }) => eventId)).size;
}

it("a worker that is killed between any two writes loses nothing and doubles nothing", async () => {
  const { api } = world;
  let isThrough = false;
  for (let write = 1; !isThrough; write += 1) {
    for (const when of ["before", "after"] as const) {
      const place = await world.place({ commits: 2 });
      await world.upload(place, await world.bundle(place.folder));
      const asked = world.call("POST", place, "/complete");
      while ((await listJobs(api.forge)).length === 0);
      await api.queues.take("mirrors");
      api.faults.crashAt(write, when);
      await work().catch((error: unknown) => {
        if (!api.faults.hasCrashed) throw error;
      });
      isThrough = !api.faults.hasCrashed;
      api.faults.recover();
      api.clock.advance(3_600_000);
      await work();
      await workOnMirrors(api);
      await asked;
      const { json } = await world.call("GET", place);
      expect([write, when, json.status, json.landed]).toEqual([write, when, "done", 1]);
      expect(await world.refs(place)).toEqual(await refsOf(place.folder));
      expect([write, when, await pushEvents(place)]).toEqual([write, when, 1]);
    }
    expect(write).toBeLessThan(40);
  }
  const left: string[] = [];
  for await (const { key } of api.forge.blobs.list("q/imports/")) left.push(key);
  expect(left).toEqual([]);
  // Packs of pushes that were killed are left to the inspection, as with any push.
  const found = (await findingsOf(api)).filter(({ key }) => !/^r\/\d+\/p\//.test(key));
  expect(found.filter(({ invariant }) => invariant !== 20)).toEqual([]);
});
