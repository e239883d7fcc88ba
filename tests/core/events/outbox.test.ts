import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type EventMessage, outbox, removeReceived, resendOverdue, send } from "#core/events/outbox";
import { holdStandIns, makeForge, type TestForge } from "#tests/support/forge";
import { measured } from "#tests/support/measured";

describe("outbox", () => {
  let on: TestForge;
  beforeAll(holdStandIns);
  beforeEach(async () => {
    on = await makeForge();
  });
  afterEach(() => on.stop());

  const change = (name: string) => ({ put: { pk: "THING", sk: name } });
  async function waiting(): Promise<number> {
    const parts = Array.from({ length: 8 }, (_, part) => on.forge.table.queryAll({ pk: `X#${part}` }));
    return (await Promise.all(parts)).flat().length;
  }

  async function receive(queue: "webhooks" | "mirrors" | "repository-events"): Promise<EventMessage[]> {
    const received = (await on.queues.take(queue)) as EventMessage[];
    await removeReceived(on.forge, received);
    return received;
  }

  it("send puts what was committed on its queues; the outbox is empty once it was received", async () => {
    const entries = [
      outbox(on.forge, "webhooks", { kind: "delivery", id: 1 }),
      outbox(on.forge, "repository-events", { kind: "push", id: 2 }),
      outbox(on.forge, "webhooks", { kind: "delivery", id: 3 }),
    ];
    await on.forge.table.transact([change("a"), ...entries.map((entry) => entry.write)]);
    expect(await waiting()).toBe(3);
    await send(on.forge, entries);
    expect(await waiting()).toBe(3);
    const webhooks = await receive("webhooks");
    expect(await waiting()).toBe(1);
    expect(webhooks.map(({ kind, id }) => ({ kind, id }))).toEqual(
      expect.arrayContaining([
        { kind: "delivery", id: 1 },
        { kind: "delivery", id: 3 },
      ]),
    );
    expect(webhooks.map((message) => message.eventId).sort()).toEqual(
      [entries[0]?.message.eventId, entries[2]?.message.eventId].sort(),
    );
    expect(await receive("repository-events")).toEqual([entries[1]?.message]);
    expect(await waiting()).toBe(0);
  });

  it("costs the sender one request to the queue, and the receiver one to the table for ten messages", async () => {
    const entries = Array.from({ length: 10 }, () => outbox(on.forge, "webhooks", { kind: "delivery" }));
    await on.forge.table.transact(entries.map((entry) => entry.write));
    const sending = await measured(() => send(on.forge, entries));
    expect(sending.usage.operations).toEqual({ "sqs:SendMessageBatch": 1 });
    const received = (await on.queues.take("webhooks")) as EventMessage[];
    const removing = await measured(() => removeReceived(on.forge, received));
    expect(removing.usage.operations).toEqual({ "dynamodb:BatchWriteItem": 1 });
    expect(await waiting()).toBe(0);
  });

  it("of a backlog each message is sent twice at most, however long nobody receives it", async () => {
    const entries = Array.from({ length: 20 }, () => outbox(on.forge, "webhooks", { kind: "delivery" }));
    await on.forge.table.transact(entries.map((entry) => entry.write));
    await send(on.forge, entries);
    for (let minute = 0; minute < 5; minute += 1) {
      on.clock.advance(60_000);
      await resendOverdue(on.forge);
    }
    const received = await receive("webhooks");
    expect(received).toHaveLength(2 * entries.length);
    expect(new Set(received.map(({ eventId }) => eventId)).size).toBe(entries.length);
  });

  it("a queue that fails is logged, not thrown, and the tick sends after 30 s what is left", async () => {
    const entry = outbox(on.forge, "webhooks", { kind: "delivery" });
    const other = outbox(on.forge, "mirrors", { kind: "sync" });
    await on.forge.table.transact([entry.write, other.write]);
    on.faults.inject({
      service: "sqs",
      operation: "SendMessageBatch",
      fault: new Error("the queue is down"),
      fits: (input: { QueueUrl: string }) => input.QueueUrl === on.queues.urls.webhooks,
    });
    await send(on.forge, [entry, other]);
    expect(on.logged).toContainEqual(
      expect.objectContaining({ event: "outbox:send-failed", queue: "webhooks" }),
    );
    expect(await receive("mirrors")).toHaveLength(1);
    on.clock.advance(30_000);
    expect(await resendOverdue(on.forge)).toBe(0);
    on.clock.advance(1);
    expect(await resendOverdue(on.forge)).toBe(1);
    expect(await on.queues.take("webhooks")).toEqual([entry.message]);
    expect(await resendOverdue(on.forge)).toBe(0);
  });

  it("a message whose outbox item can't be removed is sent again under the same event id", async () => {
    const entry = outbox(on.forge, "webhooks", { kind: "delivery" });
    await on.forge.table.transact([entry.write]);
    on.faults.inject({ service: "dynamodb", operation: "BatchWriteItem", fault: new Error("no") });
    await send(on.forge, [entry]);
    const first = await receive("webhooks");
    expect(on.logged).toContainEqual(expect.objectContaining({ event: "outbox:remove-failed", count: 1 }));
    on.clock.advance(60_000);
    await resendOverdue(on.forge);
    expect([...first, ...(await receive("webhooks"))]).toEqual([entry.message, entry.message]);
    expect(await waiting()).toBe(0);
  });

  it("killed at every step, nothing that was committed is lost", async () => {
    const kills = [1, 2, 3].flatMap((write) => [
      { write, when: "before" as const },
      { write, when: "after" as const },
    ]);
    for (const { write, when } of kills) {
      const name = `${write}-${when}`;
      const entry = outbox(on.forge, "webhooks", { kind: "delivery", name });
      on.faults.crashAt(write, when);
      const run = on.forge.table
        .transact([change(name), entry.write])
        .then(() => send(on.forge, [entry]))
        .then(() => removeReceived(on.forge, [entry.message]))
        .catch((error: unknown) => error);
      await run;
      expect(on.faults.hasCrashed).toBe(true);
      on.faults.recover();
      on.clock.advance(60_000);
      await resendOverdue(on.forge);
      const isCommitted = (await on.forge.table.get({ pk: "THING", sk: name })) !== undefined;
      const sent = (await receive("webhooks")).filter((message) => message.name === name);
      expect(sent.length > 0, name).toBe(isCommitted);
      expect(new Set(sent.map((message) => message.eventId)).size).toBe(isCommitted ? 1 : 0);
      expect(await waiting()).toBe(0);
    }
  });

  it("a message that the queue refuses keeps its item and does not hold up the others", async () => {
    const entries = ["a", "b", "bad", "c"].map((name) =>
      outbox(on.forge, "webhooks", { kind: "delivery", name }),
    );
    await on.forge.table.transact(entries.map((entry) => entry.write));
    const refuses = (body: string) => body.includes('"bad"');
    on.faults.inject({ service: "sqs", operation: "SendMessageBatch", fault: { refuses }, times: 2 });
    await send(on.forge, entries);
    expect((await receive("webhooks")).map(({ name }) => name).sort()).toEqual(["a", "b", "c"]);
    const eventIds = [entries[2]?.message.eventId];
    expect(on.logged).toContainEqual(expect.objectContaining({ event: "outbox:message-refused", eventIds }));
    on.clock.advance(60_000);
    expect(await resendOverdue(on.forge)).toBe(1);
    expect(await on.queues.take("webhooks")).toEqual([]);
    expect(await resendOverdue(on.forge)).toBe(1);
    expect(await on.queues.take("webhooks")).toEqual([entries[2]?.message]);
    expect(await waiting()).toBe(0);
  });

  it("resend takes a bounded number at a time, and all of them in the end", async () => {
    const entries = Array.from({ length: 90 }, () => outbox(on.forge, "webhooks", { kind: "delivery" }));
    await on.forge.table.transact(entries.map((entry) => entry.write));
    on.clock.advance(60_000);
    const first = await resendOverdue(on.forge, 4);
    expect(first).toBeLessThanOrEqual(8 * 4);
    expect(first + (await resendOverdue(on.forge))).toBe(90);
    expect(await waiting()).toBe(0);
  });
});
