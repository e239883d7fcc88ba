import { afterAll, beforeAll, expect, it } from "vitest";
import { sweepPacks } from "#core/git/store/maintain/sweep-packs";
import { runJob } from "#core/jobs/run";
import { checkRepository } from "#core/lifecycle/check/check";
import { jobKinds } from "#functions/workers/job-kinds";
import { refsOf } from "#tests/git/client/remotes";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { beginMigration, migrationSettings, refsHere, wikiIdOf } from "./migration-world.ts";

let api: TestApi;
let alice: Caller;

beforeAll(async () => {
  api = await makeApi({ settings: migrationSettings });
  alice = await api.makeUser({ name: "alice" });
});
afterAll(() => api.stop());

const begin = (options: object = {}) => beginMigration(api, alice, options);
const stateOf = (path: string, as: Caller = alice) => api.call("GET", `${path}/migration`, { as });

it("a repository that is brought over is whole after its worker was killed before or after any write", async () => {
  let kills = 0;
  for (const when of ["before", "after"] as const) {
    for (let write = 1; ; write += 3) {
      const { id, path, folder } = await begin({ mirror: true, wiki: true });
      api.faults.crashAt(write, when);
      const run = () => runJob(api.forge, jobKinds, `sync-mirror-${id}`, { budgetMs: 60_000 });
      await run().catch((error: unknown) => error);
      const wasKilled = api.faults.hasCrashed;
      api.faults.recover();
      api.clock.advance(180_000); // past the lease and the pause after a failure
      await run();
      const name = `${when} write ${write}`;
      expect(await refsHere(api, id), name).toEqual(await refsOf(folder));
      expect((await stateOf(path)).json, name).toMatchObject({ status: "done", message: "", failures: 0 });
      // As the weekly job does: a kill leaves a pack that nothing names.
      for (const gitId of [id, await wikiIdOf(api, id)]) await sweepPacks(api.forge, gitId);
      expect(await checkRepository(api.forge, id), name).toEqual([]);
      if (!wasKilled) break;
      kills += 1;
    }
  }
  expect(kills).toBeGreaterThan(8);
});
