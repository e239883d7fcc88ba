import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import type { Blobs } from "#core/blobs";
import type { Forge } from "#core/forge";
import { parseAllowedHosts } from "#core/guarded-client/allowed-hosts";
import { createGuardedClient } from "#core/guarded-client/guarded-client";
import { createDelivery, type DeliveryMessage, keepPayload } from "#core/hook/delivery";
import type { Delivery } from "#core/hook/delivery.table";
import { listDeliveries } from "#core/hook/history";
import { createHook, type HookSettings } from "#core/hook/hook";
import type { Hook, HookParent } from "#core/hook/hook.table";
import type { DeliverOutcome } from "#core/hook/internal/record";
import { makeForge, type TestForge } from "#tests/support/forge";
import { type Receiver, startReceiver } from "#tests/support/servers/receiver";

/** The targets of hooks may be on this machine. */
export const loopback = createGuardedClient({
  allowed: parseAllowedHosts("WEBHOOK_ALLOWED_HOST_LIST", ["loopback"]),
});
export const payload = '{\n  "text": "Grüße"\n}';

/** Hooks whose receiver is a server here, anew for each test, and deliveries to it. */
export interface Deliveries {
  readonly test: TestForge;
  /** With a bucket in memory. */
  readonly forge: Forge;
  readonly receiver: Receiver;
  makeHook(settings?: Partial<HookSettings>): Promise<Hook>;
  makeDelivery(hook: Hook, text?: string, more?: object): Promise<DeliveryMessage>;
  newest(hook: Hook): Promise<Delivery>;
}

/** Starts and ends them with the file that asks. */
export function deliveries(): Deliveries {
  let test: TestForge;
  let forge: Forge;
  let receiver: Receiver;
  let made = 0;
  beforeAll(async () => {
    test = await makeForge();
    forge = { ...test.forge, blobs: keepingBlobs() };
  });
  afterAll(() => test.stop());
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(async () => {
    test.faults.recover();
    await receiver.close();
  });
  return {
    get test() {
      return test;
    },
    get forge() {
      return forge;
    },
    get receiver() {
      return receiver;
    },
    makeHook(settings = {}) {
      made += 1;
      const parent: HookParent = { kind: "repository", id: made };
      const common = { type: "gitea", url: receiver.url, contentType: "json", secret: "s", isActive: true };
      return createHook(forge, parent, { ...common, ...settings });
    },
    async makeDelivery(hook, text = payload, more = {}) {
      made += 1;
      return createDelivery(forge, hook, {
        eventId: `event-${made}`,
        what: "",
        eventType: "push",
        payload: await keepPayload(forge, text),
        createdAt: forge.clock.now(),
        ...more,
      });
    },
    async newest(hook) {
      const [delivery] = (await listDeliveries(forge, hook.id, { limit: 30 })).deliveries;
      if (delivery === undefined) throw new Error("no delivery");
      return delivery;
    },
  };
}

/** The bucket's two operations that deliveries use. */
function keepingBlobs(): Blobs {
  const kept = new Map<string, Buffer>();
  const part: Pick<Blobs, "put" | "get"> = {
    put: async (key, bytes) => void kept.set(key, Buffer.from(bytes)),
    get: async (key) => kept.get(key) ?? Promise.reject(new Error(`no object ${key}`)),
  };
  return part as Blobs;
}

/** What follows an attempt that had no answer. */
export function nextOf(outcome: DeliverOutcome) {
  if (outcome.next === undefined) throw new Error(`nothing follows ${outcome.outcome}`);
  return outcome.next;
}
