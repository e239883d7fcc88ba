import type { RequestListener, Server } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { resendOverdue } from "#core/events/outbox";
import { processPackCaches } from "#core/git/pack/pack-caches";
import { sweepPacks } from "#core/git/store/maintain/sweep-packs";
import { listDue } from "#core/jobs/due";
import { findJob } from "#core/jobs/job";
import { runJob } from "#core/jobs/run";
import { checkRepository } from "#core/lifecycle/check/check";
import { startDueMirrors } from "#core/mirror/due-mirrors";
import { type Repository, repositoryKey } from "#core/repository/repository.table";
import { jobKinds } from "#functions/workers/job-kinds";
import { addCommits, refsOf } from "#tests/git/client/remotes";
import { git } from "#tests/git/pack/real-git";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { workOnMirrors } from "#tests/support/mirror-work";
import { killedAtEach } from "#tests/support/race/killed-at-each";
import { beginMigration, migrationSettings, refsHere, wikiIdOf } from "./migration-world.ts";

let api: TestApi;
let alice: Caller;

beforeAll(async () => {
  api = await makeApi({ settings: migrationSettings });
  alice = await api.makeUser({ name: "alice" });
});
afterAll(() => api.stop());

async function makeMirror(options: object = {}) {
  const mirror = await beginMigration(api, alice, { mirror: true, ...options });
  await workOnMirrors(api);
  await pushEvents([]);
  return mirror;
}
type Mirror = Awaited<ReturnType<typeof makeMirror>>;

/** The minute in which the mirror is due, and its worker. */
async function syncOnce({ id }: Mirror): Promise<void> {
  await startDueMirrors(api.forge);
  await runJob(api.forge, jobKinds, `sync-mirror-${id}`, { budgetMs: 60_000 });
}

/** What another process does, once the lease of the one that was killed is over. */
async function goOn(mirror: Mirror): Promise<void> {
  processPackCaches.clear();
  api.clock.advance(3_600_000);
  await syncOnce(mirror);
}

/** The push events that were sent, or wait to be sent. */
async function pushEvents(gitIds: readonly number[]): Promise<number> {
  api.clock.advance(60_000);
  await resendOverdue(api.forge);
  const sent = await api.queues.take("repository-events");
  const ours = sent.filter(
    ({ kind, repositoryId }) => kind === "push" && gitIds.includes(repositoryId as number),
  );
  return new Set(ours.map(({ eventId }) => eventId)).size;
}

/** Nothing that a sync leaves behind, and exactly one next. */
async function expectQuiet({ id }: Mirror, gitIds: readonly number[], round: number): Promise<void> {
  expect([round, await findJob(api.forge, `sync-mirror-${id}`)]).toEqual([round, undefined]);
  for (const gitId of gitIds) {
    for await (const { key } of api.forge.blobs.list(`r/${gitId}/f/`)) expect([round, key]).toEqual([round]);
    await sweepPacks(api.forge, gitId); // as the weekly job does: a kill leaves a pack that nothing names
  }
  expect([round, await checkRepository(api.forge, id)]).toEqual([round, []]);
  // One that a repeated end has planned anew goes when its time comes.
  const nextSyncAt = (await api.forge.table.get<Repository>(repositoryKey(id)))?.mirror?.nextSyncAt;
  const due = await listDue<{ repositoryId: number; at: number }>(api.forge, "sync-mirror");
  const next = due.filter(({ repositoryId, at }) => repositoryId === id && at === nextSyncAt);
  expect([round, next.length]).toEqual([round, 1]);
}

const failuresOf = async ({ path }: Mirror) =>
  (await api.call("GET", `${path}/migration`, { as: alice })).json.failures;

it("a later sync that is killed before or after any write comes to the same end: with its wiki, pruned, each push told once", async () => {
  const mirror = await makeMirror({ wiki: true });
  const { folder, wiki } = mirror;
  const gitIds = [mirror.id, await wikiIdOf(api, mirror.id)];
  const kills = await killedAtEach(
    api,
    async (round) => {
      await addCommits(folder, "main", 1);
      await addCommits(wiki, "main", 1);
      await git(folder, ["branch", `new-${round}`, "main"]);
      if (round > 2) await git(folder, ["branch", "-D", `new-${round - 1}`]);
      api.clock.advance(9 * 3_600_000);
      await syncOnce(mirror);
    },
    async (round) => {
      await goOn(mirror);
      expect([round, await refsHere(api, mirror.id)]).toEqual([round, await refsOf(folder)]);
      expect([round, await refsHere(api, gitIds[1] ?? 0)]).toEqual([round, await refsOf(wiki)]);
      expect([round, await pushEvents(gitIds)]).toEqual([round, 2]);
      expect([round, await failuresOf(mirror)]).toEqual([round, 0]);
      await expectQuiet(mirror, gitIds, round);
    },
  );
  expect(kills).toBeGreaterThan(12);
});

/** Lets so many more POSTs pass; then nobody is there. */
function gated(server: Server) {
  const gate = { posts: Number.POSITIVE_INFINITY };
  const former = server.listeners("request") as RequestListener[];
  server.removeAllListeners("request");
  server.on("request", (request, response) => {
    if (gate.posts <= 0) return response.writeHead(404).end();
    if (request.method === "POST") gate.posts -= 1;
    for (const one of former) one(request, response);
  });
  return gate;
}

it("a sync whose source vanishes after its first slice, killed before or after any write, goes on once it is back", async () => {
  const mirror = await makeMirror();
  const gate = gated(mirror.server);
  const kills = await killedAtEach(
    api,
    async () => {
      await addCommits(mirror.folder, "main", 1);
      api.clock.advance(48 * 3_600_000);
      gate.posts = 2; // for the refs and one pack
      await syncOnce(mirror);
    },
    async (round) => {
      gate.posts = Number.POSITIVE_INFINITY;
      await goOn(mirror);
      expect([round, await refsHere(api, mirror.id)]).toEqual([round, await refsOf(mirror.folder)]);
      expect([round, await pushEvents([mirror.id])]).toEqual([round, 1]);
      expect([round, await failuresOf(mirror)]).toEqual([round, 0]);
      await expectQuiet(mirror, [mirror.id], round);
    },
  );
  expect(kills).toBeGreaterThan(8);
});
