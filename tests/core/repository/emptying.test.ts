import { ScanCommand } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findAccess, type RepositoryAccess } from "#core/access/repository-access";
import type { Actor } from "#core/actor";
import { createComment, editComment } from "#core/comment/comment";
import { createDeployKey } from "#core/deploy-key/deploy-key";
import { createHook } from "#core/hook/hook";
import { padded } from "#core/ids";
import { editIssue } from "#core/issue/edit";
import { createIssue } from "#core/issue/issue";
import { issueIndex } from "#core/issue/issue.index";
import { findStalled, listJobs } from "#core/jobs/job";
import { type JobOutcome, runJob } from "#core/jobs/run";
import { emptyRepository } from "#core/lifecycle/end-of-repository";
import { compact as compactListIndex } from "#core/list-index/internal/compaction";
import { createRepository } from "#core/repository/create";
import { editRepository } from "#core/repository/edit";
import { forkRepository } from "#core/repository/fork/fork";
import { removeRepository } from "#core/repository/removal/remove";
import { startTransfer } from "#core/repository/transfer/transfer";
import { put } from "#core/table/write";
import { createUser } from "#core/user/create";
import { compactText, compactWords } from "#core/word-index/compaction";
import { type WaitingWords, waitingPartition, waitingPrefix } from "#core/word-index/word-index.table";
import { repositoryEventsWorker } from "#functions/workers/repository-events";
import { tick } from "#functions/workers/tick";
import { makeForge, type TestForge } from "#tests/support/forge";
import { makeKeyLine } from "#tests/support/keys";

const kinds = { "empty-repository": emptyRepository };
const longestRequestMs = 15 * 60_000;

let world: TestForge;
let actor: Actor;

beforeAll(async () => {
  world = await makeForge({ simulation: false });
  const password = "correct-horse-9";
  actor = { user: await createUser(world.forge, { name: "alice", email: "a@example.com", password }) };
});
afterAll(() => world.stop());

/**
 * A repository with something of everything in it: a commit, an edited issue whose words are posted, with an
 * edited comment whose words wait, a hook with a delivery, a deploy key.
 */
async function furnish(name: string): Promise<RepositoryAccess & { readonly hookId: number }> {
  const { forge } = world;
  const made = await createRepository(forge, actor, actor.user, { name: `${name}-was`, hasReadme: true });
  const { id } = await editRepository(forge, actor, made, { name });
  const access = await findAccess(forge, actor, "alice", name);
  if (access === undefined) throw new Error("the repository is not there");
  const { number } = await createIssue(forge, access, { title: "one", body: "words" }, actor);
  await editIssue(forge, access, number, { body: "words anew" }, actor);
  await compactListIndex(forge, issueIndex(id));
  await compactText(forge, { repositoryId: id, number, commentId: 0 });
  const comment = await createComment(forge, access, number, "more words", actor);
  await editComment(forge, access, comment.id, "more words anew", actor);
  await createDeployKey(forge, id, { title: "ci", key: makeKeyLine() });
  const hook = await createHook(
    forge,
    { kind: "repository", id },
    {
      type: "forgejo",
      url: "http://hooks.example/",
      contentType: "json",
      events: ["repository"],
      isActive: true,
    },
  );
  await forge.table.write(put({ pk: `DLV#${hook.id}`, sk: "0", _v: 1 }));
  return { ...access, hookId: hook.id };
}

/** Counters, messages on their way, claims, runs of cron tasks, totals of owners. */
const ofNoRepository = /^(SEQ#(?!issue#)|X#|CLAIM#|EVENT#|DUE#|DUTIES |O#\d+ QUOTA#USED#)/;

/** Every key of the table, except those that belong to no repository. */
async function keysInTable(): Promise<Set<string>> {
  const keys = new Set<string>();
  let ExclusiveStartKey: Record<string, never> | undefined;
  do {
    const page = await world.direct.send(
      new ScanCommand({ TableName: world.forge.table.name, ConsistentRead: true, ExclusiveStartKey }),
    );
    for (const item of page.Items ?? []) keys.add(`${item.pk?.S} ${item.sk?.S}`);
    ExclusiveStartKey = page.LastEvaluatedKey as Record<string, never> | undefined;
  } while (ExclusiveStartKey !== undefined);
  return new Set([...keys].filter((key) => !ofNoRepository.test(key)));
}

async function objectsOf(repositoryId: number): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of world.forge.blobs.list(`r/${repositoryId}/`)) keys.push(key);
  return keys;
}

/** The one thing that stays: the list index's mark that the repository is gone. */
const goneMark = (id: number) => `DIR#repo T#${padded(id)}`;

async function expectNothingLeft(id: number, before: ReadonlySet<string>): Promise<void> {
  const left = [...(await keysInTable())].filter((key) => !before.has(key));
  expect(left).toEqual([goneMark(id)]);
  expect(await objectsOf(id)).toEqual([]);
}

const jobIds = async () => (await listJobs(world.forge)).map(({ id }) => id);

/** Runs the jobs that are due, and lets time pass where they wait, until none is left. */
async function finishJobs(): Promise<JobOutcome["outcome"][]> {
  const outcomes: JobOutcome["outcome"][] = [];
  for (let ids = await jobIds(); ids.length > 0; ids = await jobIds()) {
    for (const id of ids) {
      const { outcome } = await runJob(world.forge, kinds, id, { budgetMs: 60_000 });
      outcomes.push(outcome);
      if (outcome !== "done") world.clock.advance(outcome === "waiting" ? longestRequestMs : 200_000);
    }
    expect(outcomes.length).toBeLessThan(20);
  }
  return outcomes;
}

describe("remove", () => {
  it("hides the repository at once and empties it in two passes", async () => {
    const before = await keysInTable();
    const { repository } = await furnish("whole");
    expect((await objectsOf(repository.id)).length).toBeGreaterThan(0);
    await removeRepository(world.forge, actor, repository);
    expect(await findAccess(world.forge, actor, "alice", "whole")).toBeUndefined();
    await expect(removeRepository(world.forge, actor, repository)).rejects.toMatchObject({
      code: "not-found",
    });
    expect(await finishJobs()).toEqual(["waiting", "done"]);
    await expectNothingLeft(repository.id, before);
  });

  it("clears up what requests under way wrote after the first pass", async () => {
    const before = await keysInTable();
    const access = await furnish("late");
    await removeRepository(world.forge, actor, access.repository);
    const [id = ""] = await jobIds();
    expect((await runJob(world.forge, kinds, id, { budgetMs: 60_000 })).outcome).toBe("waiting");
    await createIssue(world.forge, access, { title: "late" }, actor);
    await createDeployKey(world.forge, access.repository.id, { title: "late", key: makeKeyLine() });
    await world.forge.blobs.put(`r/${access.repository.id}/p/late.pack`, Buffer.from("late"));
    world.clock.advance(longestRequestMs);
    expect((await findStalled(world.forge)).map((job) => job.id)).toEqual([id]);
    expect(await finishJobs()).toEqual(["done"]);
    await expectNothingLeft(access.repository.id, before);
  });

  it("leaves nothing of forks and of what was offered: of source and forks, in any order", async () => {
    const { forge } = world;
    const password = "correct-horse-9";
    const name = "reader";
    const user = await createUser(forge, { name, email: `${name}@example.com`, password });
    const before = await keysInTable();
    const { repository } = await furnish("forked");
    const source = await findAccess(forge, { user }, "alice", "forked");
    if (source === undefined) throw new Error("the repository is hidden");
    const target = { owner: user, mayCreateRepositories: true };
    const fork = await forkRepository(forge, { user }, source, target);
    const forked = await findAccess(forge, actor, name, "forked");
    if (forked === undefined) throw new Error("the fork is hidden");
    const own = { owner: actor.user, mayCreateRepositories: true };
    const second = await forkRepository(forge, actor, forked, own, "second");
    const offered = await startTransfer(forge, actor, second, { newOwner: name });
    expect(offered.kind).toBe("pending");
    for (const one of [fork, repository, second]) {
      await removeRepository(forge, actor, one);
      await finishJobs();
    }
    const left = [...(await keysInTable())].filter((key) => !before.has(key));
    expect(left.sort()).toEqual([repository.id, fork.id, second.id].map(goneMark).sort());
    for (const id of [repository.id, fork.id, second.id]) expect(await objectsOf(id)).toEqual([]);
  });

  it("leaves nothing of a compaction that began before", async () => {
    const { forge } = world;
    const before = await keysInTable();
    const { repository } = await furnish("compacted");
    const { id: repositoryId } = repository;
    const run = { pk: waitingPartition(repositoryId), prefix: waitingPrefix };
    const [waiting] = await forge.table.queryAll<WaitingWords>(run);
    if (waiting === undefined) throw new Error("nothing waits");
    await removeRepository(forge, actor, repository);
    expect(await finishJobs()).toEqual(["waiting", "done"]);
    expect(await compactWords(forge, { repositoryId, number: 1, commentId: 1 }, waiting)).toBe(false);
    await expectNothingLeft(repositoryId, before);
  });

  it("begins no later pass before its time, even when a crash kept the job from resting", async () => {
    const now = world.clock.now();
    const cursor = { beganAt: now + 1_000, hasFound: false };
    const step = await emptyRepository.step(world.forge, { repositoryId: 999, hiddenAt: now }, cursor);
    expect(step).toEqual({ cursor, waitMs: 1_000 });
  });

  it("tells hooks of the deletion before it empties, and the tick finishes it", async () => {
    const { forge, queues, clock } = world;
    const work = (event: Parameters<typeof repositoryEventsWorker>[1]) =>
      repositoryEventsWorker(forge, event);
    await queues.take("repository-events");
    const before = await keysInTable();
    const { repository, hookId } = await furnish("told");
    await queues.take("repository-events");
    await removeRepository(forge, actor, repository);
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

  it("killed at any of its own writes either did nothing or leads to an empty place", async () => {
    const { forge, faults } = world;
    for (let write = 1, isKilled = true; isKilled; write += 1) {
      const before = await keysInTable();
      const { repository } = await furnish(`hidden-${write}`);
      faults.crashAt(write, write === 1 ? "before" : "after");
      await removeRepository(forge, actor, repository).catch(() => undefined);
      isKilled = faults.hasCrashed;
      faults.recover();
      if (write === 1) await removeRepository(forge, actor, repository);
      await finishJobs();
      await expectNothingLeft(repository.id, before);
    }
  });

  it("killed after every third or fourth write of its job, it still gets on, and leaves nothing", async () => {
    const { forge, faults, clock } = world;
    const before = await keysInTable();
    const { repository } = await furnish("killed");
    await removeRepository(forge, actor, repository);
    let kills = 0;
    for (let [id] = await jobIds(); id !== undefined; [id] = await jobIds()) {
      // A run's first write is the lease, and the next a removal, perhaps one that fails because nothing is left; then
      // comes another, or the cursor.
      faults.crashAt(3 + (kills % 2), "after");
      await runJob(forge, kinds, id, { budgetMs: 60_000 }).catch(() => undefined);
      if (faults.hasCrashed) kills += 1;
      faults.recover();
      clock.advance(200_000);
      expect(kills).toBeLessThan(100);
    }
    expect(kills).toBeGreaterThan(10);
    await expectNothingLeft(repository.id, before);
  });
});
