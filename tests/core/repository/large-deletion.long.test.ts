import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findAccess } from "#core/access/repository-access";
import type { Actor } from "#core/actor";
import { entryKey, entryRowKey } from "#core/comment/comment.table";
import { editKey } from "#core/content-history/content-history.table";
import { resendOverdue } from "#core/events/outbox";
import { issueSequenceKey } from "#core/ids";
import { createIssue } from "#core/issue/issue";
import { createdRow, type Issue, issueKey } from "#core/issue/issue.table";
import { listJobs } from "#core/jobs/job";
import { runJob } from "#core/jobs/run";
import { emptyRepository } from "#core/lifecycle/end-of-repository";
import { createRepository } from "#core/repository/create";
import { removeRepository } from "#core/repository/removal/remove";
import { openWire } from "#core/table/wire";
import { type Item, put } from "#core/table/write";
import { createUser } from "#core/user/create";
import { makeForge, type TestForge } from "#tests/support/forge";
import { findTracesOf, makeNextRepositoryOdd } from "#tests/support/left-behind";
import { measured } from "#tests/support/measured";

const kinds = { "empty-repository": emptyRepository };
const longestRequestMs = 15 * 60_000;
const numbers = 100;
/** So long that one answer of the table holds few of them. */
const longText = "long ".repeat(2_000);
const commentsEach = 500;
/** Edits of the issue and of one comment: the first and the newest. */
const editsEach = 21;

let world: TestForge;
let actor: Actor;
beforeAll(async () => {
  world = await makeForge({ simulation: false });
  const given = { name: "alice", email: "a@example.com", password: "correct-horse-9" };
  actor = { user: await createUser(world.forge, given) };
});
afterAll(() => world.stop());

async function store(items: readonly Item[]): Promise<void> {
  const wire = openWire(world.direct, true);
  const TableName = world.forge.table.name;
  const batches = Array.from({ length: Math.ceil(items.length / 25) }, (_, at) =>
    items.slice(25 * at, 25 * at + 25),
  );
  await Promise.all(
    batches.map((batch) => {
      const requests = batch.map((Item) => ({ PutRequest: { Item } }));
      return wire.send("BatchWriteItem", { RequestItems: { [TableName]: requests } });
    }),
  );
}

/** Issues as the first one is, each with comments, straight into the table. */
async function fill(first: Issue): Promise<void> {
  const { repositoryId } = first;
  for (let from = 2; from <= numbers; from += 2) {
    const items: Item[] = [];
    for (let number = from; number < Math.min(from + 2, numbers + 1); number += 1) {
      const issue: Issue = { ...first, ...issueKey(repositoryId, number), number, id: number };
      items.push(issue, createdRow(issue));
      for (const commentId of [0, number * 1_000 + 1]) {
        for (let edit = 1; edit <= editsEach; edit += 1) {
          const key = editKey({ repositoryId, number, commentId }, edit);
          items.push({ ...key, number: edit, userId: 1, at: 1, former: longText, _v: 1 });
        }
      }
      for (let comment = 1; comment <= commentsEach; comment += 1) {
        const id = number * 1_000 + comment;
        items.push({ ...entryKey(repositoryId, number, id), id, _v: 1 });
        items.push({ ...entryRowKey(repositoryId, id), number, _v: 1 });
      }
    }
    await store(items);
  }
  await world.forge.table.write(put({ ...issueSequenceKey(repositoryId), n: numbers }));
}

const jobIds = async () => (await listJobs(world.forge)).map(({ id }) => id);

describe("deleting a repository with 100,000 items", () => {
  it("hides it within one request of as many calls as any other, and its job leaves nothing", async () => {
    const { forge, clock } = world;
    await makeNextRepositoryOdd(forge);
    const made = await createRepository(forge, actor, actor.user, { name: "laden", hasReadme: true });
    const access = await findAccess(forge, actor, "alice", "laden");
    if (access === undefined) throw new Error("the repository is not there");
    const { number } = await createIssue(forge, access, { title: "one", body: "" }, actor);
    const first = await forge.table.get<Issue>(issueKey(made.id, number));
    if (first === undefined) throw new Error("the issue is not there");
    await fill(first);
    expect((await findTracesOf(forge, made.id)).length).toBeGreaterThan(100_000);

    const { usage } = await measured(() => removeRepository(forge, actor, made));
    expect(usage.tableRequests).toBeLessThan(10);
    expect(await findAccess(forge, actor, "alice", "laden")).toBeUndefined();

    let runs = 0;
    for (let ids = await jobIds(); ids.length > 0; ids = await jobIds()) {
      for (const id of ids) {
        await runJob(forge, kinds, id, { budgetMs: 60_000 });
        runs += 1;
        clock.advance(longestRequestMs);
      }
      expect(runs).toBeLessThan(60);
    }
    await resendOverdue(forge); // like the tick, for events that no worker was there for
    expect(await findTracesOf(forge, made.id)).toEqual([]);
  }, 900_000);
});
