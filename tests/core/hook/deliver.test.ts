import { createHmac } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Blobs } from "#core/blobs";
import type { Forge } from "#core/forge";
import { parseAllowedHosts } from "#core/guarded-client/allowed-hosts";
import { createGuardedClient, type GuardedClient } from "#core/guarded-client/guarded-client";
import { deliverAttempt } from "#core/hook/deliver";
import { createDelivery, type DeliveryMessage, keepPayload, payloadOf } from "#core/hook/delivery";
import type { Delivery } from "#core/hook/delivery.table";
import { listDeliveries } from "#core/hook/history";
import { createHook, editHook, type HookSettings, removeHook } from "#core/hook/hook";
import type { Hook, HookParent } from "#core/hook/hook.table";
import { hookKeysOf } from "#core/hook/hook-keys";
import type { DeliverOutcome } from "#core/hook/internal/record";
import { makeForge, type TestForge } from "#tests/support/forge";
import { measured } from "#tests/support/measured";
import { type Receiver, startReceiver } from "#tests/support/receiver";

let test: TestForge;
let forge: Forge;
let receiver: Receiver;
const loopback = createGuardedClient({
  allowed: parseAllowedHosts("WEBHOOK_ALLOWED_HOST_LIST", ["loopback"]),
});
const payload = '{\n  "text": "Grüße"\n}';

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

/** The bucket's two operations that deliveries use. */
function keepingBlobs(): Blobs {
  const kept = new Map<string, Buffer>();
  const part: Pick<Blobs, "put" | "get"> = {
    put: async (key, bytes) => void kept.set(key, Buffer.from(bytes)),
    get: async (key) => kept.get(key) ?? Promise.reject(new Error(`no object ${key}`)),
  };
  return part as Blobs;
}

let lastRepository = 0;
async function makeHook(settings: Partial<HookSettings> = {}): Promise<Hook> {
  lastRepository += 1;
  const parent: HookParent = { kind: "repository", id: lastRepository };
  const common = { type: "gitea", url: receiver.url, contentType: "json", secret: "s", isActive: true };
  return createHook(forge, parent, { ...common, ...settings });
}

let lastEvent = 0;
async function makeDelivery(hook: Hook, text = payload, more: object = {}): Promise<DeliveryMessage> {
  lastEvent += 1;
  return createDelivery(forge, hook, {
    eventId: `event-${lastEvent}`,
    what: "",
    eventType: "push",
    payload: await keepPayload(forge, text),
    createdAt: forge.clock.now(),
    ...more,
  });
}

const newest = async (hook: Hook): Promise<Delivery> => {
  const [delivery] = (await listDeliveries(forge, hook.id, { limit: 30 })).deliveries;
  if (delivery === undefined) throw new Error("no delivery");
  return delivery;
};
const sign = (text: string) => createHmac("sha256", "s").update(text).digest("hex");

function nextOf(outcome: DeliverOutcome) {
  if (outcome.next === undefined) throw new Error(`nothing follows ${outcome.outcome}`);
  return outcome.next;
}

describe("deliver: an answer ends the delivery (D-DELIVERY)", () => {
  it("sends the signed payload and records request, answer and attempt (EV-4)", async () => {
    receiver.answer = (response) => {
      test.clock.advance(120);
      response.writeHead(201, { "X-Seen": "1" }).end("thanks");
    };
    const hook = await makeHook({
      authorizationHeader: "Bearer abc",
      url: receiver.url.replace("//", "//u:pw@"),
    });
    const startedAt = forge.clock.now();
    expect(await deliverAttempt(forge, loopback, await makeDelivery(hook))).toEqual({ outcome: "answered" });
    const [received] = receiver.requests;
    const delivery = await newest(hook);
    expect(received).toMatchObject({ method: "POST", path: "/", body: payload });
    expect(received?.headers).toMatchObject({
      "x-gitea-delivery": delivery.id,
      "x-gitea-signature": sign(payload),
      "content-type": "application/json",
      authorization: "Bearer abc",
    });
    expect(delivery).toMatchObject({
      state: "answered",
      attempts: [{ number: 1, startedAt, durationMs: 120, outcome: "answered", status: 201 }],
      answer: { status: 201, headers: { "x-seen": "1" }, body: "thanks" },
      request: { headers: { "X-Gitea-Delivery": delivery.id, Authorization: "********" } },
    });
    expect(delivery.request?.url).toBe(receiver.url.replace("//", "//********@"));
    expect(await payloadOf(forge, delivery)).toBe(payload);
    expect(JSON.stringify([delivery, test.logged])).not.toMatch(/abc|pw@/);
  });

  it("sends a form whose payload field carries what is signed", async () => {
    await deliverAttempt(forge, loopback, await makeDelivery(await makeHook({ contentType: "form" })));
    const [received] = receiver.requests;
    const field = new URLSearchParams(received?.body).get("payload") ?? "";
    expect(field).toBe(payload);
    expect(received?.headers["x-gitea-signature"]).toBe(sign(field));
  });

  it("sends chats a message of their own, signed as it is sent; the record keeps the payload", async () => {
    const hook = await makeHook({ type: "matrix", url: `${receiver.url}send?token=t`, contentType: "form" });
    const told = { action: "created", sender: { login: "bob" }, repository: { full_name: "alice/hello" } };
    const text = JSON.stringify(told);
    const message = await makeDelivery(hook, text, { eventType: "repository" });
    expect(await deliverAttempt(forge, loopback, message)).toEqual({ outcome: "answered" });
    const [received] = receiver.requests;
    const delivery = await newest(hook);
    expect(received).toMatchObject({ method: "PUT", path: `/send/${delivery.id}?token=t` });
    expect(received?.headers).toMatchObject({
      "content-type": "application/json",
      "x-gitea-event": "repository",
      "x-gitea-signature": sign(received?.body ?? ""),
    });
    expect(JSON.parse(received?.body ?? "").body).toBe("[alice/hello] bob created the repository");
    expect(delivery.request?.url).toBe(`${receiver.url}send/${delivery.id}?token=********`);
    expect(await payloadOf(forge, delivery)).toBe(text);
  });

  it.each([302, 404, 500, 503])("does not try again after %i", async (status) => {
    receiver.answer = (response) => response.writeHead(status, { Location: "/elsewhere" }).end();
    const hook = await makeHook();
    expect(await deliverAttempt(forge, loopback, await makeDelivery(hook))).toEqual({ outcome: "answered" });
    expect((await newest(hook)).answer?.status).toBe(status);
    expect(receiver.requests.length).toBe(1);
  });

  it("follows 307 with the same body and signature, and takes no credentials to another origin", async () => {
    const other = await startReceiver();
    receiver.answer = (response) => response.writeHead(307, { Location: other.url }).end();
    const hook = await makeHook({ authorizationHeader: "Bearer abc" });
    expect(await deliverAttempt(forge, loopback, await makeDelivery(hook))).toEqual({ outcome: "answered" });
    const [received] = other.requests;
    expect([received?.method, received?.body, received?.headers["x-gitea-signature"]]).toEqual([
      "POST",
      payload,
      sign(payload),
    ]);
    expect(received?.headers.authorization).toBeUndefined();
    expect((await newest(hook)).answer?.status).toBe(200);
    await other.close();
  });

  it("ends at a redirect to an address that is not permitted; the record says so", async () => {
    receiver.answer = (response) => response.writeHead(308, { Location: "http://10.0.0.1/" }).end();
    const hook = await makeHook();
    expect(await deliverAttempt(forge, loopback, await makeDelivery(hook))).toEqual({ outcome: "failed" });
    const { attempts, answer } = await newest(hook);
    const reason = expect.stringContaining("WEBHOOK_ALLOWED_HOST_LIST");
    expect([attempts, answer]).toEqual([
      [expect.objectContaining({ outcome: "refused", reason })],
      undefined,
    ]);
    expect(receiver.requests.length).toBe(1);
  });

  it("costs four requests of the table, and none of the bucket for a small payload", async () => {
    const message = await makeDelivery(await makeHook());
    const { usage } = await measured(() => deliverAttempt(forge, loopback, message));
    expect(usage).toMatchObject({ tableRequests: 4, tableReadUnits: 2, tableWriteUnits: 3, blobReads: 0 });
  });

  it("drops the message when it comes again", async () => {
    const message = await makeDelivery(await makeHook());
    await deliverAttempt(forge, loopback, message);
    expect(await deliverAttempt(forge, loopback, message)).toEqual({ outcome: "dropped" });
    expect(receiver.requests.length).toBe(1);
  });

  it("keeps a large payload in the bucket and sends it whole", async () => {
    const large = JSON.stringify({ text: "x".repeat(300_000) });
    const hook = await makeHook();
    await deliverAttempt(forge, loopback, await makeDelivery(hook, large));
    const delivery = await newest(hook);
    expect(delivery.payload).toBeUndefined();
    expect(receiver.requests[0]?.body).toBe(large);
    expect(await payloadOf(forge, delivery)).toBe(large);
  });

  it("keeps 16 KB of a huge answer", async () => {
    receiver.answer = (response) => response.end("x".repeat(1_000_000));
    const hook = await makeHook();
    await deliverAttempt(forge, loopback, await makeDelivery(hook));
    expect((await newest(hook)).answer?.body.length).toBe(16 * 1024);
  });
});

describe("deliver: no answer is tried again (D-DELIVERY)", () => {
  const broken = () => {
    receiver.answer = (response) => response.destroy();
  };

  it("tries four times within 15 minutes under one delivery id, then records the failure", async () => {
    broken();
    const hook = await makeHook();
    const startedAt = forge.clock.now();
    let message = await makeDelivery(hook);
    for (const pauseSeconds of [30, 120, 600]) {
      const outcome = await deliverAttempt(forge, loopback, message);
      expect(outcome).toMatchObject({ outcome: "waiting", next: { delaySeconds: pauseSeconds } });
      test.clock.advance(pauseSeconds * 1000 + 5_000);
      message = nextOf(outcome).message;
    }
    expect(await deliverAttempt(forge, loopback, message)).toEqual({ outcome: "failed" });
    expect(forge.clock.now() + 5_000 - startedAt).toBeLessThanOrEqual(15 * 60_000);
    const delivery = await newest(hook);
    expect(delivery).toMatchObject({ state: "failed", attempt: 4 });
    expect(delivery.attempts.map(({ number, outcome }) => [number, outcome])).toEqual(
      [1, 2, 3, 4].map((number) => [number, "no-answer"]),
    );
    expect(new Set(receiver.requests.map(({ headers }) => headers["x-gitea-delivery"]))).toEqual(
      new Set([delivery.id]),
    );
    expect(receiver.requests.length).toBe(4);
    expect(await deliverAttempt(forge, loopback, message)).toEqual({ outcome: "dropped" });
  });

  it("waits for secrets to be sealed under the key for hooks, with which alone it then signs", async () => {
    const holding = (hookKey: string): Forge => ({
      ...forge,
      config: { ...forge.config, secretKey: "", hookKey },
    });
    const hook = await makeHook();
    const earlier = holding(hookKeysOf(Buffer.alloc(32, 8).toString("base64")));
    const outcome = await deliverAttempt(earlier, loopback, await makeDelivery(hook));
    expect(outcome).toMatchObject({ outcome: "waiting", next: { delaySeconds: 30 } });
    expect(receiver.requests).toEqual([]);
    const worker = holding(hookKeysOf(forge.config.secretKey));
    expect(await deliverAttempt(worker, loopback, nextOf(outcome).message)).toEqual({ outcome: "answered" });
    expect(receiver.requests[0]?.headers["x-gitea-signature"]).toBe(sign(payload));
  });

  it("ends with the first answer", async () => {
    broken();
    const hook = await makeHook();
    const { message } = nextOf(await deliverAttempt(forge, loopback, await makeDelivery(hook)));
    receiver.answer = (response) => response.end();
    expect(await deliverAttempt(forge, loopback, message)).toEqual({ outcome: "answered" });
    expect((await newest(hook)).attempts.map((attempt) => attempt.outcome)).toEqual([
      "no-answer",
      "answered",
    ]);
  });

  it("hands the next message out again when that of the former attempt comes back, without sending", async () => {
    broken();
    const first = await makeDelivery(await makeHook());
    const { message: second } = nextOf(await deliverAttempt(forge, loopback, first));
    expect(await deliverAttempt(forge, loopback, first)).toEqual({
      outcome: "waiting",
      next: { message: second, delaySeconds: 30 },
    });
    expect(receiver.requests.length).toBe(1);
  });
});

describe("deliver: repeated and interrupted messages", () => {
  it("sends once when one message is handled by two workers at once", async () => {
    const message = await makeDelivery(await makeHook());
    const outcomes = await Promise.all([
      deliverAttempt(forge, loopback, message),
      deliverAttempt(forge, loopback, message),
    ]);
    expect(outcomes.map(({ outcome }) => outcome)).toContain("answered");
    expect(receiver.requests.length).toBe(1);
  });

  it("never sends an attempt twice when the worker is stopped between sending and recording; the next one follows", async () => {
    const hook = await makeHook();
    const message = await makeDelivery(hook);
    test.faults.crashAt(2, "before");
    await expect(deliverAttempt(forge, loopback, message)).rejects.toThrow("killed");
    test.faults.recover();

    const meanwhile = await deliverAttempt(forge, loopback, message);
    expect(meanwhile).toEqual({ outcome: "busy", next: { message, delaySeconds: 35 } });
    expect(receiver.requests.length).toBe(1);

    test.clock.advance(35_000);
    const after = await deliverAttempt(forge, loopback, message);
    expect(after).toMatchObject({ outcome: "waiting", next: { delaySeconds: 0, message: { attempt: 2 } } });
    expect(receiver.requests.length).toBe(1);

    expect(await deliverAttempt(forge, loopback, nextOf(after).message)).toEqual({ outcome: "answered" });
    const delivery = await newest(hook);
    expect(delivery.attempts.map((attempt) => attempt.outcome)).toEqual(["interrupted", "answered"]);
    expect(receiver.requests.map(({ headers }) => headers["x-gitea-delivery"])).toEqual([
      delivery.id,
      delivery.id,
    ]);
  });

  it("hands out the next message when the worker is stopped right after recording that no answer came", async () => {
    receiver.answer = (response) => response.destroy();
    const message = await makeDelivery(await makeHook());
    test.faults.crashAt(2, "after");
    await expect(deliverAttempt(forge, loopback, message)).rejects.toThrow("killed");
    test.faults.recover();
    expect(await deliverAttempt(forge, loopback, message)).toMatchObject({
      outcome: "waiting",
      next: { message: { attempt: 2 } },
    });
    expect(receiver.requests.length).toBe(1);
  });

  it("fails when the last attempt is interrupted", async () => {
    const broken: GuardedClient = { send: async () => ({ kind: "no-answer", reason: "gone" }) };
    const hook = await makeHook();
    let message = await makeDelivery(hook);
    for (let tries = 0; tries < 3; tries += 1)
      message = nextOf(await deliverAttempt(forge, broken, message)).message;
    test.faults.crashAt(2, "before");
    await expect(deliverAttempt(forge, broken, message)).rejects.toThrow("killed");
    test.faults.recover();
    test.clock.advance(60_000);
    expect(await deliverAttempt(forge, loopback, message)).toEqual({ outcome: "failed" });
    expect((await newest(hook)).attempts.at(-1)).toMatchObject({ number: 4, outcome: "interrupted" });
    expect(receiver.requests).toEqual([]);
  });

  it.each([0, 1])("is not led astray when the answer to its write %i gets lost", async (skip) => {
    receiver.answer = (response) => response.destroy();
    const hook = await makeHook();
    const message = await makeDelivery(hook);
    const lost = test.faults.inject({
      service: "dynamodb",
      operation: "UpdateItem",
      fault: "lost-answer",
      skip,
    });
    expect(await deliverAttempt(forge, loopback, message)).toMatchObject({
      outcome: "waiting",
      next: { delaySeconds: 30 },
    });
    expect(lost.hits).toBe(1);
    expect((await newest(hook)).attempts.map((attempt) => attempt.outcome)).toEqual(["no-answer"]);
    expect(receiver.requests.length).toBe(1);
  });
});

describe("deliver: nothing is sent", () => {
  async function failure(hook: Hook, message: DeliveryMessage, client = loopback, using = forge) {
    expect(await deliverAttempt(using, client, message)).toEqual({ outcome: "failed" });
    expect(receiver.requests).toEqual([]);
    return (await newest(hook)).attempts[0];
  }

  it("to a loopback target unless the settings permit it; record and log name WEBHOOK_ALLOWED_HOST_LIST", async () => {
    const { setting, webhookAllowedHostList } = { setting: "WEBHOOK_ALLOWED_HOST_LIST", ...forge.config };
    const strict = createGuardedClient({ allowed: parseAllowedHosts(setting, webhookAllowedHostList) });
    const hook = await makeHook();
    const attempt = await failure(hook, await makeDelivery(hook), strict);
    expect(attempt).toMatchObject({ outcome: "refused", reason: expect.stringContaining(setting) });
    const line = test.logged.findLast(({ event }) => event === "webhooks:not-delivered");
    expect(line).toMatchObject({ level: "warn", hookId: hook.id, reason: attempt?.reason });
  });

  it("once the hook is switched off", async () => {
    const hook = await makeHook();
    const message = await makeDelivery(hook);
    await editHook(forge, hook.parent, hook.id, { isActive: false });
    expect(await failure(hook, message)).toMatchObject({ reason: expect.stringContaining("not active") });
  });

  it("once the hook is removed", async () => {
    const hook = await makeHook();
    const message = await makeDelivery(hook);
    await removeHook(forge, hook.parent, hook.id);
    expect(await failure(hook, message)).toMatchObject({ reason: expect.stringContaining("removed") });
  });

  it("while DISABLE_WEBHOOKS is set", async () => {
    const hook = await makeHook();
    const disabled = { ...forge, config: { ...forge.config, disableWebhooks: true } };
    const attempt = await failure(hook, await makeDelivery(hook), loopback, disabled);
    expect(attempt).toMatchObject({ reason: expect.stringContaining("DISABLE_WEBHOOKS") });
  });

  it("when the record has expired", async () => {
    const message = await makeDelivery(await makeHook());
    test.clock.advance(7 * 24 * 3600 * 1000);
    expect(await deliverAttempt(forge, loopback, message)).toEqual({ outcome: "dropped" });
    expect(receiver.requests).toEqual([]);
  });
});

describe("delivery records", () => {
  it("are made once per event, hook and thing told", async () => {
    const hook = await makeHook();
    const event = { eventId: "the-event", createdAt: forge.clock.now() };
    const first = await makeDelivery(hook, "{}", event);
    test.clock.advance(1000);
    expect(await makeDelivery(hook, "{ }", event)).toEqual(first);
    const other = await makeDelivery(hook, "{}", { ...event, what: "other" });
    expect(other.delivery).not.toBe(first.delivery);
    const { deliveries } = await listDeliveries(forge, hook.id, { limit: 30 });
    expect(deliveries.map(({ payload: text }) => text)).toEqual(["{}", "{}"]);
    for (const { id } of deliveries)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it("are listed newest first, page by page, without those that have expired", async () => {
    const hook = await makeHook();
    const old = await makeDelivery(hook);
    test.clock.advance(6 * 24 * 3600 * 1000);
    const made = [old];
    for (let count = 0; count < 4; count += 1) {
      test.clock.advance(1000);
      made.unshift(await makeDelivery(hook));
    }
    const first = await listDeliveries(forge, hook.id, { limit: 3 });
    const second = await listDeliveries(forge, hook.id, { limit: 3, before: first.next ?? "" });
    expect([...first.deliveries, ...second.deliveries].map(({ sk }) => sk)).toEqual(
      made.map(({ delivery }) => delivery),
    );
    test.clock.advance(2 * 24 * 3600 * 1000);
    const left = (await listDeliveries(forge, hook.id, { limit: 30 })).deliveries.map(({ sk }) => sk);
    expect(left).toEqual(made.slice(0, 4).map(({ delivery }) => delivery));
  });
});
