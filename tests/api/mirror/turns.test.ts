import { afterAll, beforeAll, expect, it } from "vitest";
import { send } from "#core/events/outbox";
import { startDueMirrors } from "#core/mirror/due-mirrors";
import { mirrorDueWrites } from "#core/mirror/mirror.table";
import { newSync } from "#core/mirror/request-sync";
import { pushMirrorDueWrite } from "#core/push-mirror/push-mirror.table";
import { startDuePushMirrors } from "#core/push-mirror/start";
import { mirrorWorker } from "#functions/workers/mirrors";
import { addCommits, realRemote } from "#tests/git/client/remotes";
import { makeApi, type TestApi } from "#tests/support/api";
import { measured } from "#tests/support/measured";
import { whileWorking } from "#tests/support/mirror-work";

let api: TestApi;

beforeAll(async () => {
  api = await makeApi({ settings: { MIGRATION_ALLOWED_HOST_LIST: "loopback" } });
});
afterAll(() => api.stop());

/** A mirror of a user of its own; its source has something new. */
async function mirrorOf(name: string) {
  const user = await api.makeUser({ name });
  const remote = await realRemote("sha1");
  await addCommits(remote.folder, "main", 2);
  const body = { clone_addr: remote.url, repo_name: "mirror", mirror: true };
  const { status, json } = await whileWorking(api, api.call("POST", "/repos/migrate", { as: user, body }));
  expect(status).toBe(201);
  await addCommits(remote.folder, "main", 1);
  return { id: json.id as number, ...remote };
}

/** Works on what is on the queue with one place, in its order; answers how many messages there were. */
async function workInTurn(): Promise<number> {
  const { done } = await api.queues.drain("mirrors", async ({ Records }) => {
    const batchItemFailures = [];
    for (const record of Records) {
      const { batchItemFailures: failed } = await mirrorWorker(api.forge, { Records: [record] });
      batchItemFailures.push(...failed);
    }
    return { batchItemFailures };
  });
  return done;
}

it("a sync whose source is slow gives its place to others after a minute, and goes on behind them", async () => {
  const slow = await mirrorOf("slow");
  const other = await mirrorOf("other");
  slow.server.prependListener("request", () => api.clock.advance(61_000));
  const first = api.logged.length;
  for (const { id } of [slow, other]) {
    const job = newSync(api.forge, id);
    expect(await api.forge.table.write(job.write)).toBe(true);
    await send(api.forge, [job.message]);
  }
  while ((await workInTurn()) > 0);
  const runs = api.logged.slice(first).filter(({ jobId, outcome }) => jobId !== undefined && outcome);
  const outcomesOf = ({ id }: { id: number }) =>
    runs.filter(({ jobId }) => jobId === `sync-mirror-${id}`).map(({ outcome }) => outcome);
  expect(outcomesOf(slow)).toContain("paused");
  expect(outcomesOf(slow).at(-1)).toBe("done");
  const done = runs.filter(({ outcome }) => outcome === "done").map(({ jobId }) => jobId);
  expect(done).toEqual([other, slow].map(({ id }) => `sync-mirror-${id}`));
});

it("the minute asks for as much with many mirrors that are not due as with none", async () => {
  const tick = async () => [await startDueMirrors(api.forge), await startDuePushMirrors(api.forge)];
  const none = await measured(tick);
  const later = Math.floor(api.clock.now() / 1000) + 60;
  for (let id = 1_000; id < 1_400; id += 1) {
    const mirror = { intervalSeconds: 600, prunes: true, syncedAt: 0, nextSyncAt: later };
    for (const write of mirrorDueWrites({ id, mirror })) await api.forge.table.write(write);
    await api.forge.table.write(pushMirrorDueWrite({ repositoryId: id, name: "remote_mirror_a" }, later));
  }
  const many = await measured(tick);
  expect([none.result, many.result]).toEqual([
    [0, 0],
    [0, 0],
  ]);
  expect(many.usage).toEqual(none.usage);
  expect(none.usage).toMatchObject({ tableRequests: 8 });
});
