import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { claimEvent, finishClaim } from "#core/events/claims";
import { outbox } from "#core/events/outbox";
import type { QueueMessage } from "#core/events/queue-message";
import type { Forge } from "#core/forge";
import { createWorker, type MessageWork } from "#functions/workers/worker";
import { makeForge, type TestForge } from "#tests/support/forge";
import { until } from "#tests/support/until";

const leaseSeconds = 60;
let on: TestForge;
beforeAll(async () => {
  on = await makeForge();
});
afterAll(() => on.stop());

/** Delivers messages as a queue does, with the pauses that they were sent with left out. */
function world() {
  const seen: string[] = [];
  let waiting: QueueMessage[] = [];
  const note: MessageWork<{ name: string }> = {
    shape: z.object({ name: z.string() }),
    leaseSeconds,
    async work(_forge, { name }) {
      seen.push(name);
      return undefined;
    },
  };
  const queues: Forge["queues"] = {
    send: async (_queue, messages) => void waiting.push(...messages),
    hide: async () => undefined,
    countedBy: () => queues,
  };
  const work = createWorker("repository-events", { note });
  return {
    seen,
    /** How many of the messages are taken off the queue. */
    async deliver(messages: readonly QueueMessage[]): Promise<number> {
      const Records = messages.map((message, index) => ({
        messageId: String(index),
        body: JSON.stringify(message),
        attributes: { ApproximateReceiveCount: "1" },
      }));
      const { batchItemFailures } = await work({ ...on.forge, queues }, { Records } as never);
      return messages.length - batchItemFailures.length;
    },
    takeWaiting(): QueueMessage[] {
      const taken = waiting;
      waiting = [];
      return taken;
    },
  };
}

describe("an event whose worker was killed", () => {
  it("is no dead letter however often the queue hands it out before the lease is over, and is done then", async () => {
    const { seen, deliver, takeWaiting } = world();
    const { message } = outbox(on.forge, "repository-events", { kind: "note", name: "kept" });
    await claimEvent(on.forge, "repository-events", message.eventId, leaseSeconds);
    let messages: QueueMessage[] = [message];
    for (let restarts = 0; restarts < 6; restarts += 1) {
      on.clock.advance(5_000);
      expect(await deliver(messages)).toBe(1);
      messages = takeWaiting();
      expect(messages).toHaveLength(1);
    }
    on.clock.advance(leaseSeconds * 1_000);
    expect(await deliver(messages)).toBe(1);
    expect([seen, takeWaiting()]).toEqual([["kept"], []]);
  });

  it("becomes a dead letter in the end when it is what kills workers", async () => {
    const { deliver, takeWaiting } = world();
    const { message } = outbox(on.forge, "repository-events", { kind: "note", name: "poison" });
    let messages: QueueMessage[] = [message];
    let taken = 0;
    for (; messages.length > 0; messages = takeWaiting()) {
      on.clock.advance(leaseSeconds * 1_000);
      await claimEvent(on.forge, "repository-events", message.eventId, leaseSeconds);
      taken += await deliver(messages);
    }
    expect(taken).toBe(10);
  });

  it("is dropped where another delivery has done it meanwhile", async () => {
    const { seen, deliver, takeWaiting } = world();
    const { message } = outbox(on.forge, "repository-events", { kind: "note", name: "done" });
    const claimed = await claimEvent(on.forge, "repository-events", message.eventId, leaseSeconds);
    await deliver([message]);
    if (claimed.outcome !== "claimed") throw new Error("not claimed");
    await finishClaim(on.forge, "repository-events", message.eventId, claimed.holder);
    expect(await deliver(takeWaiting())).toBe(1);
    expect([seen, takeWaiting()]).toEqual([[], []]);
  });

  it("is kept for as long as a living worker takes", async () => {
    const { message } = outbox(on.forge, "repository-events", { kind: "slow", name: "long" });
    const rivals: string[] = [];
    const slow: MessageWork<{ name: string }> = {
      shape: z.object({ name: z.string() }),
      leaseSeconds: 0.03,
      async work() {
        on.clock.advance(10_000);
        const key = { pk: `CLAIM#repository-events#${message.eventId}`, sk: "#" };
        await until(async () => Number((await on.forge.table.get(key))?.until) > on.clock.now());
        rivals.push((await claimEvent(on.forge, "repository-events", message.eventId, 1)).outcome);
        return undefined;
      },
    };
    const record = {
      messageId: "1",
      body: JSON.stringify(message),
      attributes: { ApproximateReceiveCount: "1" },
    };
    const work = createWorker("repository-events", { slow });
    expect(await work(on.forge, { Records: [record] } as never)).toEqual({ batchItemFailures: [] });
    expect(rivals).toEqual(["working"]);
  });
});
