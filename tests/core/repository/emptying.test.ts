import { describe, expect, it } from "vitest";
import { findAccess } from "#core/access/repository-access";
import { createDeployKey } from "#core/deploy-key/deploy-key";
import { padded } from "#core/ids";
import { createIssue } from "#core/issue/issue";
import { findStalled } from "#core/jobs/job";
import { runJob } from "#core/jobs/run";
import { emptyRepository } from "#core/lifecycle/end-of-repository";
import { removeRepository } from "#core/repository/removal/remove";
import { compactWords } from "#core/word-index/compaction";
import { type WaitingWords, waitingPartition, waitingPrefix } from "#core/word-index/word-index.table";
import { repositoryEventsWorker } from "#functions/workers/repository-events";
import { tick } from "#functions/workers/tick";
import { makeKeyLine } from "#tests/support/keys";
import { emptyingPlace, kinds, longestRequestMs } from "./emptying-place.ts";

const place = emptyingPlace();
const { furnish, keysInTable, objectsOf, expectNothingLeft, jobIds, finishJobs } = place;

describe("remove", () => {
  it("hides the repository at once and empties it in two passes", async () => {
    const before = await keysInTable();
    const { repository } = await furnish("whole");
    expect((await objectsOf(repository.id)).length).toBeGreaterThan(0);
    await removeRepository(place.world.forge, place.actor, repository);
    expect(await findAccess(place.world.forge, place.actor, "alice", "whole")).toBeUndefined();
    await expect(removeRepository(place.world.forge, place.actor, repository)).rejects.toMatchObject({
      code: "not-found",
    });
    expect(await finishJobs()).toEqual(["waiting", "done"]);
    await expectNothingLeft(repository.id, before);
  });

  it("clears up what requests under way wrote after the first pass", async () => {
    const before = await keysInTable();
    const access = await furnish("late");
    await removeRepository(place.world.forge, place.actor, access.repository);
    const [id = ""] = await jobIds();
    expect((await runJob(place.world.forge, kinds, id, { budgetMs: 60_000 })).outcome).toBe("waiting");
    await createIssue(place.world.forge, access, { title: "late" }, place.actor);
    await createDeployKey(place.world.forge, access.repository.id, { title: "late", key: makeKeyLine() });
    await place.world.forge.blobs.put(`r/${access.repository.id}/p/late.pack`, Buffer.from("late"));
    place.world.clock.advance(longestRequestMs);
    expect((await findStalled(place.world.forge)).map((job) => job.id)).toEqual([id]);
    expect(await finishJobs()).toEqual(["done"]);
    await expectNothingLeft(access.repository.id, before);
  });

  it("leaves nothing of a compaction that began before", async () => {
    const { forge } = place.world;
    const before = await keysInTable();
    const { repository } = await furnish("compacted");
    const { id: repositoryId } = repository;
    const run = { pk: waitingPartition(repositoryId), prefix: waitingPrefix };
    const [waiting] = await forge.table.queryAll<WaitingWords>(run);
    if (waiting === undefined) throw new Error("nothing waits");
    await removeRepository(forge, place.actor, repository);
    expect(await finishJobs()).toEqual(["waiting", "done"]);
    expect(await compactWords(forge, { repositoryId, number: 1, commentId: 1 }, waiting)).toBe(false);
    await expectNothingLeft(repositoryId, before);
  });

  it("begins no later pass before its time, even when a crash kept the job from resting", async () => {
    const now = place.world.clock.now();
    const cursor = { beganAt: now + 1_000, hasFound: false };
    const step = await emptyRepository.step(place.world.forge, { repositoryId: 999, hiddenAt: now }, cursor);
    expect(step).toEqual({ cursor, waitMs: 1_000 });
  });

  it("tells hooks of the deletion before it empties, and the tick finishes it", async () => {
    const { forge, queues, clock } = place.world;
    const work = (event: Parameters<typeof repositoryEventsWorker>[1]) =>
      repositoryEventsWorker(forge, event);
    await queues.take("repository-events");
    const before = await keysInTable();
    const { repository, hookId } = await furnish("told");
    await queues.take("repository-events");
    await removeRepository(forge, place.actor, repository);
    expect((await queues.drain("repository-events", work)).failed).toBe(0);
    const deliveries = await forge.table.queryAll({ pk: `DLV#${hookId}`, prefix: padded(clock.now(), 16) });
    expect(deliveries).toMatchObject([{ eventType: "repository", state: "waiting" }]);
    expect(JSON.parse(String(deliveries[0]?.payload))).toMatchObject({
      action: "deleted",
      repository: { full_name: "alice/told" },
    });
    clock.advance(longestRequestMs);
    expect((await tick(forge)).restart_jobs).toBe(1);
    expect((await queues.drain("repository-events", work)).failed).toBe(0);
    await expectNothingLeft(repository.id, before);
  });
});
