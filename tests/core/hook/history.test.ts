import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { resendOverdue } from "#core/events/outbox";
import { createDelivery, keepPayload, payloadOf } from "#core/hook/delivery";
import type { Delivery } from "#core/hook/delivery.table";
import { timeOfDeliveryId } from "#core/hook/delivery-id";
import { getDelivery, listDeliveries, redeliver } from "#core/hook/history";
import { createHook, editHook, removeHook } from "#core/hook/hook";
import type { Hook } from "#core/hook/hook.table";
import { webhookWorker } from "#functions/workers/webhooks";
import { makeForge, type TestForge } from "#tests/support/forge";
import { type Receiver, startReceiver } from "#tests/support/servers/receiver";

let test: TestForge;
let receiver: Receiver;
beforeAll(async () => {
  test = await makeForge({ settings: { WEBHOOK_ALLOWED_HOST_LIST: "loopback" } });
  receiver = await startReceiver();
});
afterEach(() => test.faults.recover());
afterAll(async () => {
  await receiver.close();
  await test.stop();
});

let made = 0;
const makeHook = () =>
  createHook(
    test.forge,
    { kind: "repository", id: ++made },
    {
      ...{ type: "gitea", url: receiver.url, contentType: "json", secret: "s", isActive: true },
    },
  );

/** A recorded delivery, without its message on the queue. */
async function makeDelivery(hook: Hook, payload = "{}"): Promise<Delivery> {
  const { delivery } = await createDelivery(test.forge, hook, {
    ...{ eventId: `event ${++made}`, what: "", eventType: "push", createdAt: test.forge.clock.now() },
    payload: await keepPayload(test.forge, payload),
  });
  return getDelivery(test.forge, hook.id, delivery.split("#")[1] ?? "");
}

/** One that was answered. */
async function makeAnswered(hook: Hook, payload?: string): Promise<Delivery> {
  const { id, sk } = await makeDelivery(hook, payload);
  const message = { kind: "delivery", eventId: id, hookId: hook.id, delivery: sk, attempt: 1 };
  await test.forge.queues.send("webhooks", [message]);
  await drain();
  return getDelivery(test.forge, hook.id, id);
}
const drain = () => test.queues.drain("webhooks", (event) => webhookWorker(test.forge, event));

describe("history", () => {
  it("finds a delivery by its id, which begins with the time of the event", async () => {
    const hook = await makeHook();
    const { id, createdAt } = await makeDelivery(hook);
    expect(timeOfDeliveryId(id)).toBe(createdAt);
    expect((await getDelivery(test.forge, hook.id, id)).id).toBe(id);
  });

  it.each([
    "",
    "x",
    "00000000-0000-0000-0000-000000000000",
    "\u0000",
    "018f0000-0000-8000-8000-000000000000",
  ])("NotFound for %j, and for a delivery of another hook", async (id) => {
    const [hook, other] = [await makeHook(), await makeHook()];
    const theirs = await makeDelivery(other);
    for (const one of [id, theirs.id]) {
      await expect(getDelivery(test.forge, hook.id, one)).rejects.toMatchObject({ code: "not-found" });
    }
  });

  it("goes on behind the delivery that a caller has seen, though new ones came and that one is gone", async () => {
    const hook = await makeHook();
    const all: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      test.clock.advance(1);
      all.unshift((await makeDelivery(hook)).id);
    }
    const first = await listDeliveries(test.forge, hook.id, { limit: 2 });
    expect([first.deliveries.map(({ id }) => id), first.next]).toEqual([all.slice(0, 2), all[1]]);
    test.clock.advance(1);
    await makeDelivery(hook);
    await test.forge.table.removeAll(first.deliveries);
    const second = await listDeliveries(test.forge, hook.id, { limit: 3, before: first.next ?? "" });
    expect([second.deliveries.map(({ id }) => id), second.next]).toEqual([all.slice(2), undefined]);
  });
});

describe("redeliver", () => {
  it.each([10, 100_000])("sends a payload of %i bytes once more, under an id of its own", async (size) => {
    const hook = await makeHook();
    const payload = JSON.stringify("x".repeat(size));
    const original = await makeAnswered(hook, payload);
    const before = receiver.requests.length;
    const again = await redeliver(test.forge, hook, original.id);
    expect(await drain()).toEqual({ done: 1, failed: 0 });
    const [received] = receiver.requests.slice(before);
    expect([received?.body, received?.headers["x-gitea-delivery"]]).toEqual([payload, again.id]);
    expect(await getDelivery(test.forge, hook.id, again.id)).toMatchObject({
      ...{ redeliveryOf: original.id, state: "answered", eventType: "push" },
    });
    // An object goes eight days after it was written.
    if (original.payloadKey !== undefined) expect(again.payloadKey).not.toBe(original.payloadKey);
    expect(await payloadOf(test.forge, again)).toBe(payload);
  });

  it("goes to the hook as it is now, each time it is asked for", async () => {
    const hook = await makeHook();
    const { id } = await makeAnswered(hook);
    const { url } = receiver;
    const edited = await editHook(test.forge, hook.parent, hook.id, { url: `${url}now`, secret: "new" });
    const before = receiver.requests.length;
    const ids = [await redeliver(test.forge, edited, id), await redeliver(test.forge, edited, id)];
    await drain();
    expect(receiver.requests.slice(before).map(({ path }) => path)).toEqual(["/now", "/now"]);
    expect(new Set(ids.map((one) => one.id)).size).toBe(2);
  });

  it("Conflict while it is under way; 422 for a hook that is off; NotFound for one that goes meanwhile", async () => {
    const hook = await makeHook();
    const waiting = await makeDelivery(hook);
    await expect(redeliver(test.forge, hook, waiting.id)).rejects.toMatchObject({ code: "conflict" });
    const { id } = await makeAnswered(hook);
    await removeHook(test.forge, hook.parent, hook.id);
    await expect(redeliver(test.forge, hook, id)).rejects.toMatchObject({ code: "not-found" });
    const off = { ...hook, isActive: false };
    await expect(redeliver(test.forge, off, id)).rejects.toMatchObject({ code: "invalid" });
    const { deliveries } = await listDeliveries(test.forge, hook.id, { limit: 9 });
    expect(deliveries.filter(({ redeliveryOf }) => redeliveryOf !== undefined)).toEqual([]);
  });

  it("NotFound once its record has expired", async () => {
    const hook = await makeHook();
    const { id } = await makeAnswered(hook);
    test.clock.advance(7 * 24 * 3600 * 1000);
    await expect(redeliver(test.forge, hook, id)).rejects.toMatchObject({ code: "not-found" });
  });

  it("is sent by the tick when the process ends right after the commit", async () => {
    const hook = await makeHook();
    const { id } = await makeAnswered(hook);
    const before = receiver.requests.length;
    test.faults.crashAt(1, "after");
    await expect(redeliver(test.forge, hook, id)).rejects.toThrow("killed");
    test.faults.recover();
    expect((await drain()).done).toBe(0);
    test.clock.advance(60_000);
    expect(await resendOverdue(test.forge)).toBe(1);
    await drain();
    expect(receiver.requests.length).toBe(before + 1);
  });
});
