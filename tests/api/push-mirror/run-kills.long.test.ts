import { afterAll, beforeAll, expect, it } from "vitest";
import { processPackCaches } from "#core/git/pack/pack-caches";
import { listDue } from "#core/jobs/due";
import { findJob } from "#core/jobs/job";
import { runJob } from "#core/jobs/run";
import { checkRepository } from "#core/lifecycle/check/check";
import { getPushMirror } from "#core/push-mirror/push-mirror";
import { runJobId, startDuePushMirrors } from "#core/push-mirror/start";
import { jobKinds } from "#functions/workers/job-kinds";
import { realRemote, refsOf } from "#tests/git/client/remotes";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, pushFiles } from "#tests/support/code";
import { killedAtEach } from "#tests/support/race/killed-at-each";

let api: TestApi;
let alice: Caller;

beforeAll(async () => {
  api = await makeApi({ settings: { MIGRATION_ALLOWED_HOST_LIST: "loopback" } });
  alice = await api.makeUser({ name: "alice" });
});
afterAll(() => api.stop());

it("a run that is killed before or after any write comes to the same end, and the next is due once", async () => {
  const path = "/repos/alice/pushed";
  const repositoryId = await makeRepository(api, alice, "pushed", {});
  await pushFiles(api, alice, "pushed", { files: { f: "1\n" } });
  const remote = await realRemote("sha1");
  const body = { remote_address: remote.url, interval: "8h" };
  const { json } = await api.call("POST", `${path}/push_mirrors`, { as: alice, body });
  const mirror = { repositoryId, name: json.remote_name as string };
  const runOnce = async () => {
    await startDuePushMirrors(api.forge);
    await runJob(api.forge, jobKinds, runJobId(mirror), { budgetMs: 60_000 });
  };
  const kills = await killedAtEach(api, runOnce, async (round) => {
    processPackCaches.clear();
    api.clock.advance(3_600_000); // past the lease
    await runOnce();
    const { json: branch } = await api.call("GET", `${path}/branches/main`, { as: alice });
    const heads = (await refsOf(remote.folder)).filter((line) => line.endsWith("refs/heads/main"));
    expect([round, heads]).toEqual([round, [`${branch.commit.id} refs/heads/main`]]);
    expect([round, await findJob(api.forge, runJobId(mirror))]).toEqual([round, undefined]);
    const shown = (await api.call("GET", `${path}/push_mirrors/${mirror.name}`, { as: alice })).json;
    expect([round, shown.last_error, shown.last_update]).toEqual([round, "", expect.any(String)]);
    const { nextRunAt } = await getPushMirror(api.forge, repositoryId, mirror.name);
    // One that a repeated end has planned anew goes when its time comes.
    const due = (await listDue<{ at: number }>(api.forge, "push-mirror")).filter(
      ({ at }) => at === nextRunAt,
    );
    expect([round, due.length]).toEqual([round, 1]);
    expect([round, await checkRepository(api.forge, repositoryId)]).toEqual([round, []]);
    await pushFiles(api, alice, "pushed", { files: { f: `${round}\n` } });
    api.clock.advance(9 * 3_600_000);
  });
  expect(kills).toBeGreaterThan(4);
});
