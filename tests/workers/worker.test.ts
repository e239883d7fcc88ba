import { ReceiveMessageCommand } from "@aws-sdk/client-sqs";
import type { SQSEvent } from "aws-lambda";
import { afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";
import { claimEvent } from "#core/events/claims";
import { outbox, send } from "#core/events/outbox";
import type { QueueMessage } from "#core/events/queue-message";
import type { Forge } from "#core/forge";
import { createWorker, type MessageKinds, type MessageWork } from "#functions/workers/worker";
import { toRecord } from "#infra/local/worker-loop";
import { holdStandIns, makeForge, type TestForge } from "#tests/support/forge";
import { measured } from "#tests/support/measured";

const shape = z.looseObject({ name: z.string() });
type Named = z.infer<typeof shape>;

describe("worker", () => {
  let on: TestForge;
  beforeAll(holdStandIns);
  let seen: string[];
  beforeEach(async () => {
    on = await makeForge();
    seen = [];
  });
  afterEach(() => on.stop());

  const note: MessageWork<Named> = {
    shape,
    leaseSeconds: 60,
    async work(_forge, { name }) {
      seen.push(name);
      return undefined;
    },
  };

  async function emit(...messages: { kind: string; name?: unknown }[]): Promise<string[]> {
    const entries = messages.map((message) => outbox(on.forge, "webhooks", message));
    await on.forge.table.transact(entries.map((entry) => entry.write));
    await send(on.forge, entries);
    return entries.map((entry) => entry.message.eventId);
  }
  function drain(kinds: MessageKinds) {
    const work = createWorker("webhooks", kinds);
    return on.queues.drain("webhooks", (event) => work(on.forge, event));
  }

  it("works on each message, and reports none as failed", async () => {
    await emit({ kind: "note", name: "a" }, { kind: "note", name: "b" });
    expect(await drain({ note })).toEqual({ done: 2, failed: 0 });
    expect(seen.sort()).toEqual(["a", "b"]);
  });

  it("works on the messages of a batch at the same time", async () => {
    await emit(...["a", "b", "c"].map((name) => ({ kind: "meet", name })));
    let arrived = 0;
    let open: () => void = () => undefined;
    const all = new Promise<void>((done) => {
      open = done;
    });
    const meet: MessageWork<Named> = {
      shape,
      async work() {
        arrived += 1;
        if (arrived === 3) open();
        await all;
        return undefined;
      },
    };
    expect(await drain({ meet })).toEqual({ done: 3, failed: 0 });
  });

  it("keeps a batch hidden for as long as it is worked on, and shows what failed soon after", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const hide = vi.spyOn(on.forge.queues, "hide");
    await emit({ kind: "long", name: "again" });
    let rounds = 0;
    const others = on.queues.client();
    const QueueUrl = on.queues.urls.webhooks;
    const long: MessageWork<Named> = {
      shape,
      async work() {
        rounds += 1;
        if (rounds > 1) return undefined;
        for (let third = 1; third <= 6; third += 1) {
          vi.advanceTimersByTime(334);
          await Promise.all(hide.mock.results.map(({ value }) => value));
          expect((await others.send(new ReceiveMessageCommand({ QueueUrl }))).Messages).toBeUndefined();
        }
        return "again";
      },
    };
    const work = createWorker("webhooks", { long }, { hiddenSeconds: 1 });
    const batch = async () => {
      const command = new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 });
      const [message] = (await others.send(command)).Messages ?? [];
      if (message === undefined) throw new Error("the message did not come");
      return work(on.forge, { Records: [toRecord(message, "arn:aws:sqs:us-east-1:0:webhooks")] });
    };
    expect((await batch()).batchItemFailures).toHaveLength(1);
    // The queue's own time is ten minutes: without what the worker asked for, nothing would come yet.
    vi.advanceTimersByTime(1_000);
    expect((await batch()).batchItemFailures).toEqual([]);
    others.destroy();
  });

  it("goes on working when messages can't be hidden", async () => {
    await emit({ kind: "note", name: "shown" });
    on.faults.inject({
      service: "sqs",
      operation: "ChangeMessageVisibilityBatch",
      fault: "throttled",
      times: 9,
    });
    expect(await drain({ note })).toEqual({ done: 1, failed: 0 });
    await expect.poll(() => on.logged.map(({ event }) => event)).toContain("worker:messages-not-hidden");
  });

  it("does an event once, however often it is delivered", async () => {
    const [entry] = [outbox(on.forge, "webhooks", { kind: "note", name: "once" })];
    await on.forge.queues.send("webhooks", [entry.message, entry.message, entry.message]);
    let left = 3;
    for (let round = 0; left > 0 && round < 5; round += 1) left = (await drain({ note })).failed;
    expect(left).toBe(0);
    expect(seen).toEqual(["once"]);
  });

  it("removes what the sender left in the outbox, of a whole batch in one request, whatever becomes of the work", async () => {
    const names = Array.from({ length: 10 }, (_, at) => ({ kind: "note", name: at === 3 ? 3 : `${at}` }));
    await emit(...names);
    const waiting = async () =>
      (
        await Promise.all([...Array(8).keys()].map((part) => on.forge.table.queryAll({ pk: `X#${part}` })))
      ).flat();
    expect(await waiting()).toHaveLength(10);
    const { result, usage } = await measured(() => drain({ note }));
    expect(result).toEqual({ done: 9, failed: 1 });
    expect(usage.operations["dynamodb:BatchWriteItem"]).toBe(1);
    expect(await waiting()).toEqual([]);
  });

  it("only what fails comes again, at once although it was claimed, and is logged with its ids", async () => {
    const [, eventId] = await emit({ kind: "note", name: "good" }, { kind: "note", name: "bad" });
    let failures = 1;
    const fragile: MessageWork<Named> = {
      ...note,
      async work(forge, message, delivery) {
        if (message.name === "bad" && failures > 0) {
          failures -= 1;
          throw new Error("out of order");
        }
        return note.work(forge, message, delivery);
      },
    };
    expect(await drain({ note: fragile })).toEqual({ done: 1, failed: 1 });
    expect(on.logged).toContainEqual(
      expect.objectContaining({
        event: "worker:failed",
        worker: "webhooks",
        kind: "note",
        eventId,
        attempt: 1,
      }),
    );
    expect(await drain({ note: fragile })).toEqual({ done: 1, failed: 0 });
    expect(seen).toEqual(["good", "bad"]);
  });

  it("a message whose claim another works on is put back until that lease is over", async () => {
    const [eventId = ""] = await emit({ kind: "note", name: "shared" });
    const other = await claimEvent(on.forge, "webhooks", eventId, 60);
    expect(other.outcome).toBe("claimed");
    on.clock.advance(20_500);
    const later: { message: QueueMessage; delaySeconds: number | undefined }[] = [];
    const queues: Forge["queues"] = {
      ...on.forge.queues,
      send: async (_queue, [message], options) => {
        later.push({ message: message as QueueMessage, delaySeconds: options?.delaySeconds });
      },
    };
    const work = createWorker("webhooks", { note });
    const postponing = (event: SQSEvent) => work({ ...on.forge, queues }, event);
    expect(await on.queues.drain("webhooks", postponing)).toEqual({ done: 1, failed: 0 });
    expect(later).toEqual([
      { message: { kind: "note", name: "shared", eventId, deferrals: 1 }, delaySeconds: 40 },
    ]);
    expect(seen).toEqual([]);
    on.clock.advance(40_000);
    await on.forge.queues.send("webhooks", [later[0]?.message as QueueMessage]);
    expect(await drain({ note })).toEqual({ done: 1, failed: 0 });
    expect(seen).toEqual(["shared"]);
  });

  it('"again" brings the message back', async () => {
    await emit({ kind: "later", name: "x" });
    const attempts: number[] = [];
    const later: MessageWork<Named> = {
      ...note,
      async work(_forge, _message, { attempt }) {
        attempts.push(attempt);
        return attempt < 3 ? "again" : undefined;
      },
    };
    expect(await drain({ later })).toEqual({ done: 0, failed: 1 });
    expect(await drain({ later })).toEqual({ done: 0, failed: 1 });
    expect(await drain({ later })).toEqual({ done: 1, failed: 0 });
    expect(attempts).toEqual([1, 2, 3]);
  });

  it("who lost the lease while working leaves the message to the other", async () => {
    await emit({ kind: "slow", name: "x" });
    const slow: MessageWork<Named> = {
      ...note,
      async work(forge, message, delivery) {
        on.clock.advance(61_000);
        await claimEvent(forge, "webhooks", delivery.eventId, 60);
        return note.work(forge, message, delivery);
      },
    };
    expect(await drain({ slow })).toEqual({ done: 0, failed: 1 });
  });

  it("what is malformed, of an unknown kind or of another shape is logged and ends as a dead letter", async () => {
    await emit({ kind: "unknown", name: "a" }, { kind: "note", name: 7 }, { kind: "toString", name: "b" });
    for (const _delivery of [1, 2, 3]) expect(await drain({ note })).toEqual({ done: 0, failed: 3 });
    expect(await drain({ note })).toEqual({ done: 0, failed: 0 });
    expect(await on.queues.takeDead("webhooks")).toHaveLength(3);
    expect(on.logged.filter(({ event }) => event === "worker:bad-message")).toHaveLength(9);
    expect(seen).toEqual([]);
  });

  it("a body that is no JSON fails alone", async () => {
    const attributes = { ApproximateReceiveCount: "1" };
    const record = (messageId: string, body: string) => ({ messageId, body, attributes });
    const good = JSON.stringify({ kind: "note", eventId: "e", name: "good" });
    const event = { Records: [record("1", "{"), record("2", good), record("3", "7")] };
    const answer = await createWorker("webhooks", { note })(on.forge, event as never);
    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: "1" }, { itemIdentifier: "3" }] });
    expect(seen).toEqual(["good"]);
  });
});
