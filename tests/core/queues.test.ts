import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { readConfig } from "#core/config";
import { MessagesRefused } from "#core/events/queue-message";
import { createQueues } from "#core/queues";
import { makeForge, type TestForge } from "#tests/support/forge";
import { measured } from "#tests/support/measured";

describe("queues", () => {
  let on: TestForge;
  beforeAll(async () => {
    on = await makeForge();
  });
  beforeEach(() => on.faults.recover());
  afterAll(() => on.stop());

  it("send puts every message on its queue, ten a request", async () => {
    const messages = Array.from({ length: 23 }, (_, number) => ({ kind: "sync", number, text: "é" }));
    const { usage } = await measured(() => on.forge.queues.send("mirrors", messages));
    expect(usage).toMatchObject({ queueRequests: 3, operations: { "sqs:SendMessageBatch": 3 } });
    const taken = await on.queues.take("mirrors");
    expect(taken.sort((one, other) => Number(one.number) - Number(other.number))).toEqual(messages);
    expect(await on.queues.take("webhooks")).toEqual([]);
  });

  it("send of nothing asks nothing", async () => {
    const { usage } = await measured(() => on.forge.queues.send("mirrors", []));
    expect(usage.queueRequests).toBe(0);
  });

  it("a delayed message is not there at once", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
    onTestFinished(() => void vi.useRealTimers());
    await on.forge.queues.send("webhooks", [{ kind: "delivery" }], { delaySeconds: 1 });
    vi.advanceTimersByTime(999);
    expect(await on.queues.take("webhooks")).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(await on.queues.take("webhooks")).toEqual([{ kind: "delivery" }]);
  });

  it("throws when a request fails, and what was sent before stays sent", async () => {
    on.faults.inject({ service: "sqs", operation: "SendMessageBatch", fault: "unanswered", skip: 1 });
    const messages = Array.from({ length: 12 }, (_, number) => ({ kind: "sync", number }));
    await expect(on.forge.queues.send("mirrors", messages)).rejects.toHaveProperty("code", "ECONNRESET");
    expect(await on.queues.take("mirrors")).toHaveLength(10);
  });

  it("throws MessagesRefused with the messages that the queue did not take, and sends all others", async () => {
    const refuses = (body: string) => /"number":(3|11)}/.test(body);
    on.faults.inject({ service: "sqs", operation: "SendMessageBatch", fault: { refuses }, times: 2 });
    const messages = Array.from({ length: 15 }, (_, number) => ({ kind: "sync", number }));
    const error = await on.forge.queues.send("mirrors", messages).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(MessagesRefused);
    expect(error).toMatchObject({ messages: [messages[3], messages[11]] });
    expect(await on.queues.take("mirrors")).toHaveLength(13);
  });

  it("a queue without its setting fails when it is used, naming the setting", async () => {
    const queues = createQueues({ config: readConfig({}), client: async () => on.queues.client() });
    await expect(queues.send("mirrors", [{ kind: "sync" }])).rejects.toThrow("MIRRORS_QUEUE_URL");
  });
});
