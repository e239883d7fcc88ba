import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Forge } from "#core/forge";
import { createDelivery } from "#core/hook/delivery";
import { getDelivery, listDeliveries } from "#core/hook/history";
import { createHook, removeHook } from "#core/hook/hook";
import type { Hook } from "#core/hook/hook.table";
import { webhookWorker } from "#functions/workers/webhooks";
import { runWorkerLoop } from "#infra/local/worker-loop";
import { makeForge, type TestForge } from "#tests/support/forge";
import { type Receiver, startReceiver } from "#tests/support/servers/receiver";

/** Real sockets, the loop that the one-machine mode runs, and one receiver that never answers. */
let test: TestForge;
let forge: Forge;
let hanging: Receiver;
let healthy: Receiver;
let stopping: AbortController;
let loop: Promise<void> | undefined;

beforeEach(async () => {
  const settings = { WEBHOOK_ALLOWED_HOST_LIST: "loopback", DELIVER_TIMEOUT: "25" };
  test = await makeForge({ settings });
  forge = test.forge;
  hanging = await startReceiver();
  hanging.answer = () => undefined;
  healthy = await startReceiver();
  stopping = new AbortController();
});
afterEach(async () => {
  stopping.abort();
  await hanging.close();
  await healthy.close();
  await loop;
  await test.stop();
});

const makeHook = (receiver: Receiver) =>
  createHook(
    forge,
    { kind: "repository", id: 1 },
    {
      ...{ type: "gitea", url: receiver.url, contentType: "json", isActive: true },
    },
  );

let events = 0;
/** An event for each hook, as the worker of events queues it. */
async function tell(hooks: readonly Hook[]): Promise<void> {
  events += 1;
  const given = {
    eventId: `event ${events}`,
    what: "",
    eventType: "push",
    payload: { payload: "{}" },
  } as const;
  const messages = await Promise.all(
    hooks.map((hook) => createDelivery(forge, hook, { ...given, createdAt: forge.clock.now() })),
  );
  await forge.queues.send("webhooks", messages);
}

function start(mostAtOnce: number): void {
  const client = test.queues.client();
  loop = runWorkerLoop({
    ...{ client, queueUrl: test.queues.urls.webhooks, queueArn: "arn:aws:sqs:local:0:webhooks" },
    handler: (event) => webhookWorker(forge, event, { hiddenSeconds: 60 }),
    ...{ mostAtOnce, visibilityTimeoutSeconds: 60, log: forge.log, signal: stopping.signal },
  }).finally(() => client.destroy());
}

describe("one receiver among ten that hangs", () => {
  it("takes half of the places, and the other nine get everything", async () => {
    const dead = await makeHook(hanging);
    const others = await Promise.all(Array.from({ length: 9 }, () => makeHook(healthy)));
    for (let count = 0; count < 40; count += 1) await tell([dead]);
    for (let count = 0; count < 4; count += 1) await tell([dead, ...others]);
    start(30);
    // The time for an answer is 25 s: without a bound, 30 deliveries would hold all places for as long.
    await healthy.received(36);
    expect(hanging.requests.length).toBe(15);
    const { deliveries } = await listDeliveries(forge, dead.id, { limit: 50 });
    expect(new Set(deliveries.map(({ state }) => state))).toEqual(new Set(["sending", "waiting"]));
  });
});

describe("a hook that is removed", () => {
  it("while its delivery is under way: the answer is recorded for nobody, and what waits is not sent", async () => {
    const hook = await makeHook(healthy);
    let answer: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      healthy.answer = (response) => {
        answer = () => response.end("late");
        resolve();
      };
    });
    await tell([hook]);
    const first = test.queues.drain("webhooks", (event) => webhookWorker(forge, event));
    await asked;
    test.clock.advance(1);
    await tell([hook]);
    await removeHook(forge, hook.parent, hook.id);
    answer();
    expect(await first).toMatchObject({ failed: 0 });
    await test.queues.drain("webhooks", (event) => webhookWorker(forge, event));
    expect(healthy.requests.length).toBe(1);
    const { deliveries } = await listDeliveries(forge, hook.id, { limit: 9 });
    expect(deliveries.map(({ state, attempts }) => [state, attempts[0]?.reason ?? ""])).toEqual([
      ["failed", "the hook was removed"],
      ["answered", ""],
    ]);
  });
});

describe("a poison message", () => {
  it("becomes a dead letter, and keeps no delivery beside it", async () => {
    const hook = await makeHook(healthy);
    const bad = { kind: "delivery", hookId: "one", delivery: 3, attempt: {} } as never;
    await forge.queues.send("webhooks", [bad]);
    for (let receipt = 1; receipt <= 4; receipt += 1) {
      await tell([hook]);
      await test.queues.drain("webhooks", (event) => webhookWorker(forge, event));
    }
    expect(healthy.requests.length).toBe(4);
    expect(await test.queues.takeDead("webhooks")).toEqual([bad]);
  });

  it("with an event that no chat message can be made of ends as a failed delivery, like any other attempt that broke", async () => {
    const hook = await createHook(
      forge,
      { kind: "repository", id: 1 },
      {
        ...{ type: "discord", url: healthy.url, contentType: "json", isActive: true },
      },
    );
    await tell([hook]);
    const [{ id } = { id: "" }] = (await listDeliveries(forge, hook.id, { limit: 1 })).deliveries;
    for (let receipt = 1; receipt <= 12; receipt += 1) {
      await test.queues.drain("webhooks", (event) => webhookWorker(forge, event));
      test.clock.advance(100_000);
    }
    expect(await getDelivery(forge, hook.id, id)).toMatchObject({ state: "failed", attempt: 4 });
    expect(healthy.requests).toEqual([]);
  });
});
