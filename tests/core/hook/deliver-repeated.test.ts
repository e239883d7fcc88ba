import { describe, expect, it } from "vitest";
import type { GuardedClient } from "#core/guarded-client/guarded-client";
import { deliverAttempt } from "#core/hook/deliver";
import { deliveries, loopback, nextOf } from "./deliveries.ts";

const on = deliveries();

describe("deliver: repeated and interrupted messages", () => {
  it("sends once when one message is handled by two workers at once", async () => {
    const message = await on.makeDelivery(await on.makeHook());
    const outcomes = await Promise.all([
      deliverAttempt(on.forge, loopback, message),
      deliverAttempt(on.forge, loopback, message),
    ]);
    expect(outcomes.map(({ outcome }) => outcome)).toContain("answered");
    expect(on.receiver.requests.length).toBe(1);
  });

  it("never sends an attempt twice when the worker is stopped between sending and recording; the next one follows", async () => {
    const hook = await on.makeHook();
    const message = await on.makeDelivery(hook);
    on.test.faults.crashAt(2, "before");
    await expect(deliverAttempt(on.forge, loopback, message)).rejects.toThrow("killed");
    on.test.faults.recover();

    const meanwhile = await deliverAttempt(on.forge, loopback, message);
    expect(meanwhile).toEqual({ outcome: "busy", next: { message, delaySeconds: 35 } });
    expect(on.receiver.requests.length).toBe(1);

    on.test.clock.advance(35_000);
    const after = await deliverAttempt(on.forge, loopback, message);
    expect(after).toMatchObject({ outcome: "waiting", next: { delaySeconds: 0, message: { attempt: 2 } } });
    expect(on.receiver.requests.length).toBe(1);

    expect(await deliverAttempt(on.forge, loopback, nextOf(after).message)).toEqual({ outcome: "answered" });
    const delivery = await on.newest(hook);
    expect(delivery.attempts.map((attempt) => attempt.outcome)).toEqual(["interrupted", "answered"]);
    expect(on.receiver.requests.map(({ headers }) => headers["x-gitea-delivery"])).toEqual([
      delivery.id,
      delivery.id,
    ]);
  });

  it("hands out the next message when the worker is stopped right after recording that no answer came", async () => {
    on.receiver.answer = (response) => response.destroy();
    const message = await on.makeDelivery(await on.makeHook());
    on.test.faults.crashAt(2, "after");
    await expect(deliverAttempt(on.forge, loopback, message)).rejects.toThrow("killed");
    on.test.faults.recover();
    expect(await deliverAttempt(on.forge, loopback, message)).toMatchObject({
      outcome: "waiting",
      next: { message: { attempt: 2 } },
    });
    expect(on.receiver.requests.length).toBe(1);
  });

  it("fails when the last attempt is interrupted", async () => {
    const broken: GuardedClient = { send: async () => ({ kind: "no-answer", reason: "gone" }) };
    const hook = await on.makeHook();
    let message = await on.makeDelivery(hook);
    for (let tries = 0; tries < 3; tries += 1)
      message = nextOf(await deliverAttempt(on.forge, broken, message)).message;
    on.test.faults.crashAt(2, "before");
    await expect(deliverAttempt(on.forge, broken, message)).rejects.toThrow("killed");
    on.test.faults.recover();
    on.test.clock.advance(60_000);
    expect(await deliverAttempt(on.forge, loopback, message)).toEqual({ outcome: "failed" });
    expect((await on.newest(hook)).attempts.at(-1)).toMatchObject({ number: 4, outcome: "interrupted" });
    expect(on.receiver.requests).toEqual([]);
  });

  it.each([0, 1])("is not led astray when the answer to its write %i gets lost", async (skip) => {
    on.receiver.answer = (response) => response.destroy();
    const hook = await on.makeHook();
    const message = await on.makeDelivery(hook);
    const lost = on.test.faults.inject({
      service: "dynamodb",
      operation: "UpdateItem",
      fault: "lost-answer",
      skip,
    });
    expect(await deliverAttempt(on.forge, loopback, message)).toMatchObject({
      outcome: "waiting",
      next: { delaySeconds: 30 },
    });
    expect(lost.hits).toBe(1);
    expect((await on.newest(hook)).attempts.map((attempt) => attempt.outcome)).toEqual(["no-answer"]);
    expect(on.receiver.requests.length).toBe(1);
  });
});
