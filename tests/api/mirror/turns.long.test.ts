import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { send } from "#core/events/outbox";
import { commitPush } from "#core/git/store/push/commit-push";
import { openRepository } from "#core/git/store/store";
import { findJob } from "#core/jobs/job";
import { startDueMirrors } from "#core/mirror/due-mirrors";
import { mirrorDueWrites } from "#core/mirror/mirror.table";
import { newSync } from "#core/mirror/request-sync";
import { listPushMirrors } from "#core/push-mirror/push-mirror";
import { pushMirrorDueWrite } from "#core/push-mirror/push-mirror.table";
import { startDuePushMirrors, startPushMirrors } from "#core/push-mirror/start";
import { mirrorWorker } from "#functions/workers/mirrors";
import { runWorkerLoop } from "#infra/local/worker-loop";
import { addCommits, realRemote, refsOf } from "#tests/git/client/remotes";
import { git } from "#tests/git/pack/real-git";
import { makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, pushFiles } from "#tests/support/code";
import { measured } from "#tests/support/measured";
import { whileWorking, workOnMirrors } from "#tests/support/mirror-work";
import { onFileFinished } from "#tests/support/suite/file-end";
import { until } from "#tests/support/until";

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
  return { id: json.id as number, ownerId: user.user.id, ...remote };
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
  for (const mirror of [slow, other]) {
    const job = newSync(api.forge, mirror);
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

/** A remote that answers nobody before it is told to. */
async function silentRemote() {
  const held: ServerResponse[] = [];
  const remote = { url: "", held, heard: 0, most: 0, isOpen: false, open: () => undefined as undefined };
  const server = createServer((_request, response) => {
    remote.heard += 1;
    if (remote.isOpen) return response.writeHead(404).end();
    held.push(response);
    remote.most = Math.max(remote.most, held.length);
  });
  remote.open = () => {
    remote.isOpen = true;
    for (const response of held.splice(0)) response.writeHead(404).end();
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onFileFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  remote.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/copy.git`;
  return remote;
}

it("an owner with many slow mirrors has one place at a time: another's sync is done beside them, and all of theirs come round", async () => {
  const many = 12;
  const hostile = await api.makeUser({ name: "hostile" });
  const repositoryId = await makeRepository(api, hostile, "slow", {});
  await pushFiles(api, hostile, "slow", { files: { f: "1\n" } });
  const remote = await silentRemote();
  const body = { remote_address: remote.url, interval: "0", sync_on_commit: true };
  for (let count = 0; count < many; count += 1) {
    const added = await api.call("POST", "/repos/hostile/slow/push_mirrors", { as: hostile, body });
    expect(added.status).toBe(200);
  }
  const innocent = await mirrorOf("innocent");
  await startPushMirrors(api.forge, repositoryId);
  const job = newSync(api.forge, innocent);
  expect(await api.forge.table.write(job.write)).toBe(true);
  await send(api.forge, [job.message]); // behind all of theirs

  const stopping = new AbortController();
  const client = api.queues.client();
  const working = runWorkerLoop({
    client,
    queueUrl: api.queues.urls.mirrors,
    queueArn: "arn:aws:sqs:local:000000000000:mirrors",
    handler: (event) => mirrorWorker(api.forge, event),
    mostAtOnce: 2, // as on AWS
    visibilityTimeoutSeconds: 60,
    log: api.forge.log,
    signal: stopping.signal,
  });
  await until(async () => (await findJob(api.forge, job.id)) === undefined);
  expect([remote.heard, remote.most]).toEqual([1, 1]);
  remote.open();
  const left = async () =>
    (await listPushMirrors(api.forge, repositoryId)).filter((one) => one.lastRunAt === 0);
  await until(async () => (await left()).length === 0);
  expect([remote.heard, remote.most]).toEqual([many, 1]);
  await until(async () => (await api.forge.table.queryAll({ pk: `TURN#${hostile.user.id}` })).length === 0);
  stopping.abort();
  await working;
  client.destroy();
});

it("a run of more refs than a step pushes goes on step by step, and tries what was refused once", async () => {
  const user = await api.makeUser({ name: "tagger" });
  const id = await makeRepository(api, user, "tagged", {});
  await pushFiles(api, user, "tagged", { files: { f: "1\n" } });
  const main = (await openRepository(api.forge, id))?.refs.find("refs/heads/main")?.id ?? "";
  const names = Array.from({ length: 2_100 }, (_, at) => `refs/tags/t${at}`);
  const changes = names.map((name) => ({ name, new: main }));
  expect((await commitPush(api.forge, id, { changes, pusherId: user.user.id })).kind).toBe("done");
  const remote = await realRemote("sha1");
  await git(remote.folder, ["config", "receive.hideRefs", "refs/tags/t2077"]); // it takes no such
  let posts = 0;
  remote.server.prependListener("request", ({ method }) => {
    posts += method === "POST" ? 1 : 0;
  });
  const body = { remote_address: remote.url, interval: "0", sync_on_commit: true };
  await api.call("POST", "/repos/tagger/tagged/push_mirrors", { as: user, body });
  await startPushMirrors(api.forge, id);
  await workOnMirrors(api);
  const missing = ["refs/tags/t2077"];
  const there = new Set((await refsOf(remote.folder)).map((line) => line.split(" ")[1]));
  expect(names.filter((name) => !there.has(name))).toEqual(missing);
  const [mirror] = await listPushMirrors(api.forge, id);
  expect([mirror?.problem?.includes("refs/tags/t2077"), posts]).toEqual([true, 3]);
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
