import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createComment, editComment, findComment } from "#core/comment/comment";
import { listRepositoryComments } from "#core/comment/list";
import { resendOverdue } from "#core/events/outbox";
import { findEventDetail } from "#core/hook/event-detail";
import { editIssue, type IssueChanges } from "#core/issue/edit";
import { createIssue } from "#core/issue/issue";
import { listIssues } from "#core/issue/listing/list";
import { checkRepository } from "#core/lifecycle/check/check";
import { splitCounts } from "#core/repository/counts";
import { repositoryDetailsOf } from "#core/repository/details";
import { repositoryPartition } from "#core/repository/repository.table";
import { makeForge, type TestForge } from "#tests/support/forge";
import { measured } from "#tests/support/measured";
import { holdTimeStill } from "#tests/support/still-time";
import { accessAgain, fillWith, makeTracker, stored, sumOf, type Tracker } from "./make.ts";

let test: TestForge;
let tracker: Tracker;

beforeAll(async () => {
  test = await makeForge();
});
beforeEach(async () => {
  tracker = await makeTracker(test.forge);
  await test.queues.take("repository-events");
});
afterAll(() => test.stop());

const create = (title = "An issue") => createIssue(test.forge, tracker.access, { title }, tracker.actor);
const comment = (number = 1, body = "A comment") =>
  createComment(test.forge, tracker.access, number, body, tracker.actor);
const edit = (changes: IssueChanges, number = 1) =>
  editIssue(test.forge, tracker.access, number, changes, tracker.actor);
const repositoryId = () => tracker.access.repository.id;
const listAll = async () => {
  const query = { state: "all", order: "latest", page: 1, limit: 50 } as const;
  return listIssues(test.forge, tracker.access, query);
};
const conflict = () =>
  Object.assign(new Error("simulated conflict"), {
    name: "TransactionCanceledException",
    CancellationReasons: [{ Code: "TransactionConflict" }], // on the first write: the counts
  });

describe("issue.create", () => {
  it("D-NUMBER: 20 at once get the numbers 1 to 20", async () => {
    holdTimeStill();
    const made = await Promise.all(Array.from({ length: 20 }, (_, at) => create(`Issue ${at}`)));
    const numbers = made.map((issue) => issue.number).toSorted((one, other) => one - other);
    expect(numbers).toEqual(made.map((_, at) => at + 1));
    expect(new Set(made.map((issue) => issue.id)).size).toBe(20);
    expect((await listAll()).total).toBe(20);
  });

  it("splits the counts into 16 for good once a request has met three conflicts, and they still add up", async () => {
    test.faults.inject({ service: "dynamodb", operation: "TransactWriteItems", fault: conflict(), times: 2 });
    await create();
    const again = () => accessAgain(test.forge, tracker.actor, repositoryId());
    expect((await again()).repository.shards).toBe(1);
    test.faults.inject({ service: "dynamodb", operation: "TransactWriteItems", fault: conflict(), times: 3 });
    await create();
    const access = await again();
    expect(access.repository).toMatchObject({ shards: 16, v: tracker.access.repository.v });
    tracker = { ...tracker, access };
    for (let at = 0; at < 10; at += 1) await create();
    await comment();
    expect(await sumOf(test.forge, repositoryId(), "openIssues")).toBe(12);
    const { total } = await listRepositoryComments(test.forge, access, {}, { page: 1, limit: 30 });
    expect(total).toBe(1);
  });

  it("D-TOTAL: who read the repository before the split sees every count that was acknowledged after it", async () => {
    const early = tracker.access;
    await create();
    await splitCounts(test.forge, repositoryId(), 1);
    const access = await accessAgain(test.forge, tracker.actor, repositoryId());
    tracker = { ...tracker, access };
    for (let at = 0; at < 12; at += 1) await create();
    await comment();
    const details = await repositoryDetailsOf(test.forge, early);
    expect(details.counts).toMatchObject({ openIssues: 13, closedIssues: 0, issueComments: 1 });
    const query = { state: "open", order: "latest", page: 1, limit: 5 } as const;
    expect((await listIssues(test.forge, early, query)).total).toBe(13);
    expect((await listRepositoryComments(test.forge, early, {}, { page: 1, limit: 30 })).total).toBe(1);
    expect(await checkRepository(test.forge, repositoryId())).toEqual([]);
  });

  it("D-TOTAL: creating, closing, reopening and commenting at once, while others split, leaves every count exact", async () => {
    await Promise.all(Array.from({ length: 6 }, () => create()));
    const many = (work: (at: number) => Promise<unknown>) => Array.from({ length: 12 }, (_, at) => work(at));
    await Promise.all([
      ...many(() => create()),
      ...many((at) => edit({ isClosed: at % 2 === 0 }, 1 + (at % 6))),
      ...many((at) => comment(1 + (at % 6))),
      ...many(() => splitCounts(test.forge, repositoryId(), 1)),
    ]);
    expect(await sumOf(test.forge, repositoryId(), "issueComments")).toBe(12);
    expect(await checkRepository(test.forge, repositoryId())).toEqual([]);
  });

  it("splits nothing of a repository that is gone", async () => {
    const gone = repositoryId() + 1_000;
    expect(await splitCounts(test.forge, gone, 1)).toBe(1);
    expect(await test.forge.table.queryAll({ pk: repositoryPartition(gone) })).toEqual([]);
  });

  it("counts once when the answer to its transaction is lost", async () => {
    test.faults.inject({ service: "dynamodb", operation: "TransactWriteItems", fault: "lost-answer" });
    await create();
    expect((await listAll()).total).toBe(1);
    expect(await sumOf(test.forge, repositoryId(), "openIssues")).toBe(1);
  });

  it("takes 3 requests and one to the queue, 15 write units", async () => {
    const { usage } = await measured(() => create());
    expect(usage.tableWriteUnits).toBe(15);
    expect(usage.operations).toEqual({
      "dynamodb:UpdateItem": 2,
      "dynamodb:TransactWriteItems": 1,
      "sqs:SendMessageBatch": 1,
    });
  });
});

describe("issue.list", () => {
  it("takes one request for the list index and one for a page of 30 issues", async () => {
    await fillWith(test.forge, await create(), 30);
    const query = { state: "open", order: "latest", page: 1, limit: 30 } as const;
    const { result, usage } = await measured(() => listIssues(test.forge, tracker.access, query));
    expect([result.items.length, result.total]).toEqual([30, 31]);
    expect(usage.operations).toEqual({
      "dynamodb:Query": 1,
      "dynamodb:BatchGetItem": 1,
    });
  });
});

describe("comment.create", () => {
  it("takes 3 requests and one to the queue", async () => {
    await create();
    const { usage } = await measured(() => comment());
    expect(usage.operations).toEqual({
      "dynamodb:UpdateItem": 1,
      "dynamodb:GetItem": 1,
      "dynamodb:TransactWriteItems": 1,
      "sqs:SendMessageBatch": 1,
    });
  });

  it.each(["before", "after"] as const)(
    "shows no half of itself when the process is killed %s any write",
    async (when) => {
      await create();
      for (let write = 1; write <= 4; write += 1) {
        test.faults.crashAt(write, when);
        await comment().catch(() => undefined);
        test.faults.recover();
        const { issue, entries, rows } = await stored(test.forge, repositoryId(), 1);
        expect(rows).toHaveLength(entries.length);
        expect(issue?.comments).toBe(entries.length);
        expect(await sumOf(test.forge, repositoryId(), "issueComments")).toBe(entries.length);
        expect((await listAll()).items[0]?.comments).toBe(entries.length);
      }
      expect((await stored(test.forge, repositoryId(), 1)).entries.length).toBeGreaterThan(0);
    },
  );
});

describe("comment.edit", () => {
  it("20 at once all land on the same comment, none of them in another's way", async () => {
    holdTimeStill();
    await create();
    const { id } = await comment();
    const bodies = Array.from({ length: 20 }, (_, at) => `Text ${at}`);
    const { forge } = test;
    const { result: edited, usage } = await measured(() =>
      Promise.all(bodies.map((body) => editComment(forge, tracker.access, id, body, tracker.actor))),
    );
    expect(usage.operations["dynamodb:TransactWriteItems"]).toBe(20);
    expect(edited.map((one) => one?.body)).toEqual(bodies);
    const now = await findComment(forge, tracker.access, id);
    expect(now?.v).toBe(21);
    expect(edited.find((one) => one?.v === 21)?.body).toBe(now?.body);
  });
});

describe("events of issues and comments", () => {
  const taken = async () => {
    const messages = await test.queues.take("repository-events");
    return messages
      .filter((message) => message.repositoryId === repositoryId())
      .map(({ outboxAt, ...message }) => ({
        ...message,
        eventId: String(message.eventId),
        action: message.action,
      }));
  };

  it("opened, edited, closed, reopened, created and edited are sent with ids alone", async () => {
    await create();
    await edit({ title: "After" });
    await edit({ isClosed: true });
    await edit({ isClosed: false });
    const { id } = await comment();
    await editComment(test.forge, tracker.access, id, "changed", tracker.actor);
    const origin = {
      repositoryId: repositoryId(),
      actorId: tracker.actor.user.id,
      at: test.clock.now(),
      index: 1,
    };
    const issue = { kind: "issue", ...origin };
    const note = { kind: "issue-comment", commentId: id, ...origin };
    expect((await taken()).map(({ eventId, ...rest }) => rest)).toEqual([
      { ...issue, action: "opened" },
      { ...issue, action: "edited" },
      { ...issue, action: "closed" },
      { ...issue, action: "reopened" },
      { ...note, action: "created" },
      { ...note, action: "edited" },
    ]);
  });

  it("an edit tells what the texts were before", async () => {
    await createIssue(test.forge, tracker.access, { title: "Before", body: "old" }, tracker.actor);
    await edit({ title: "After", body: "new", isClosed: true });
    const { id } = await comment(1, "first words");
    await editComment(test.forge, tracker.access, id, "last words", tracker.actor);
    const details = [];
    for (const { eventId } of await taken()) details.push(await findEventDetail(test.forge, eventId));
    expect(details).toEqual([{}, { title: "Before", body: "old" }, {}, {}, { body: "first words" }]);
  });

  it("nothing is sent when nothing was changed", async () => {
    await create("Same");
    await taken();
    await edit({ title: "Same", isClosed: false });
    expect(await taken()).toEqual([]);
  });

  it("an issue that is opened closed tells of both", async () => {
    await createIssue(test.forge, tracker.access, { title: "Done", isClosed: true }, tracker.actor);
    expect((await taken()).map((event) => event.action)).toEqual(["opened", "closed"]);
    const { entries } = await stored(test.forge, repositoryId(), 1);
    expect(entries.map((entry) => entry.type)).toEqual(["close"]);
    expect(await sumOf(test.forge, repositoryId(), "closedIssues")).toBe(1);
  });

  it("an event that could not be sent is sent by the tick", async () => {
    test.faults.inject({ service: "sqs", fault: new Error("the queue is away") });
    await create();
    expect(await taken()).toEqual([]);
    test.clock.advance(31_000);
    await resendOverdue(test.forge);
    expect((await taken()).flatMap((event) => event.action ?? [])).toEqual(["opened"]);
  });
});
