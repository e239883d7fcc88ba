import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Forge } from "#core/forge";
import { deliverAttempt } from "#core/hook/deliver";
import { payloadOf } from "#core/hook/delivery";
import { hookKeysOf } from "#core/hook/hook-keys";
import { measured } from "#tests/support/measured";
import { startReceiver } from "#tests/support/servers/receiver";
import { deliveries, loopback, nextOf, payload } from "./deliveries.ts";

const on = deliveries();

const sign = (text: string) => createHmac("sha256", "s").update(text).digest("hex");

describe("deliver: an answer ends the delivery (D-DELIVERY)", () => {
  it("sends the signed payload and records request, answer and attempt (EV-4)", async () => {
    on.receiver.answer = (response) => {
      on.test.clock.advance(120);
      response.writeHead(201, { "X-Seen": "1" }).end("thanks");
    };
    const hook = await on.makeHook({
      authorizationHeader: "Bearer abc",
      url: on.receiver.url.replace("//", "//u:pw@"),
    });
    const startedAt = on.forge.clock.now();
    expect(await deliverAttempt(on.forge, loopback, await on.makeDelivery(hook))).toEqual({
      outcome: "answered",
    });
    const [received] = on.receiver.requests;
    const delivery = await on.newest(hook);
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
    expect(delivery.request?.url).toBe(on.receiver.url.replace("//", "//********@"));
    expect(await payloadOf(on.forge, delivery)).toBe(payload);
    expect(JSON.stringify([delivery, on.test.logged])).not.toMatch(/abc|pw@/);
  });

  it("sends a form whose payload field carries what is signed", async () => {
    await deliverAttempt(
      on.forge,
      loopback,
      await on.makeDelivery(await on.makeHook({ contentType: "form" })),
    );
    const [received] = on.receiver.requests;
    const field = new URLSearchParams(received?.body).get("payload") ?? "";
    expect(field).toBe(payload);
    expect(received?.headers["x-gitea-signature"]).toBe(sign(field));
  });

  it("sends chats a message of their own, signed as it is sent; the record keeps the payload", async () => {
    const hook = await on.makeHook({
      type: "matrix",
      url: `${on.receiver.url}send?token=t`,
      contentType: "form",
    });
    const told = { action: "created", sender: { login: "bob" }, repository: { full_name: "alice/hello" } };
    const text = JSON.stringify(told);
    const message = await on.makeDelivery(hook, text, { eventType: "repository" });
    expect(await deliverAttempt(on.forge, loopback, message)).toEqual({ outcome: "answered" });
    const [received] = on.receiver.requests;
    const delivery = await on.newest(hook);
    expect(received).toMatchObject({ method: "PUT", path: `/send/${delivery.id}?token=t` });
    expect(received?.headers).toMatchObject({
      "content-type": "application/json",
      "x-gitea-event": "repository",
      "x-gitea-signature": sign(received?.body ?? ""),
    });
    expect(JSON.parse(received?.body ?? "").body).toBe("[alice/hello] bob created the repository");
    expect(delivery.request?.url).toBe(`${on.receiver.url}send/${delivery.id}?token=********`);
    expect(await payloadOf(on.forge, delivery)).toBe(text);
  });

  it.each([302, 404, 500, 503])("does not try again after %i", async (status) => {
    on.receiver.answer = (response) => response.writeHead(status, { Location: "/elsewhere" }).end();
    const hook = await on.makeHook();
    expect(await deliverAttempt(on.forge, loopback, await on.makeDelivery(hook))).toEqual({
      outcome: "answered",
    });
    expect((await on.newest(hook)).answer?.status).toBe(status);
    expect(on.receiver.requests.length).toBe(1);
  });

  it("follows 307 with the same body and signature, and takes no credentials to another origin", async () => {
    const other = await startReceiver();
    on.receiver.answer = (response) => response.writeHead(307, { Location: other.url }).end();
    const hook = await on.makeHook({ authorizationHeader: "Bearer abc" });
    expect(await deliverAttempt(on.forge, loopback, await on.makeDelivery(hook))).toEqual({
      outcome: "answered",
    });
    const [received] = other.requests;
    expect([received?.method, received?.body, received?.headers["x-gitea-signature"]]).toEqual([
      "POST",
      payload,
      sign(payload),
    ]);
    expect(received?.headers.authorization).toBeUndefined();
    expect((await on.newest(hook)).answer?.status).toBe(200);
    await other.close();
  });

  it("ends at a redirect to an address that is not permitted; the record says so", async () => {
    on.receiver.answer = (response) => response.writeHead(308, { Location: "http://10.0.0.1/" }).end();
    const hook = await on.makeHook();
    expect(await deliverAttempt(on.forge, loopback, await on.makeDelivery(hook))).toEqual({
      outcome: "failed",
    });
    const { attempts, answer } = await on.newest(hook);
    const reason = expect.stringContaining("WEBHOOK_ALLOWED_HOST_LIST");
    expect([attempts, answer]).toEqual([
      [expect.objectContaining({ outcome: "refused", reason })],
      undefined,
    ]);
    expect(on.receiver.requests.length).toBe(1);
  });

  it("costs four requests of the table, and none of the bucket for a small payload", async () => {
    const message = await on.makeDelivery(await on.makeHook());
    const { usage } = await measured(() => deliverAttempt(on.forge, loopback, message));
    expect(usage).toMatchObject({ tableRequests: 4, tableReadUnits: 2, tableWriteUnits: 3, blobReads: 0 });
  });

  it("drops the message when it comes again", async () => {
    const message = await on.makeDelivery(await on.makeHook());
    await deliverAttempt(on.forge, loopback, message);
    expect(await deliverAttempt(on.forge, loopback, message)).toEqual({ outcome: "dropped" });
    expect(on.receiver.requests.length).toBe(1);
  });

  it("keeps a large payload in the bucket and sends it whole", async () => {
    const large = JSON.stringify({ text: "x".repeat(300_000) });
    const hook = await on.makeHook();
    await deliverAttempt(on.forge, loopback, await on.makeDelivery(hook, large));
    const delivery = await on.newest(hook);
    expect(delivery.payload).toBeUndefined();
    expect(on.receiver.requests[0]?.body).toBe(large);
    expect(await payloadOf(on.forge, delivery)).toBe(large);
  });

  it("keeps 16 KB of a huge answer", async () => {
    on.receiver.answer = (response) => response.end("x".repeat(1_000_000));
    const hook = await on.makeHook();
    await deliverAttempt(on.forge, loopback, await on.makeDelivery(hook));
    expect((await on.newest(hook)).answer?.body.length).toBe(16 * 1024);
  });
});

describe("deliver: no answer is tried again (D-DELIVERY)", () => {
  const broken = () => {
    on.receiver.answer = (response) => response.destroy();
  };

  it("tries four times within 15 minutes under one delivery id, then records the failure", async () => {
    broken();
    const hook = await on.makeHook();
    const startedAt = on.forge.clock.now();
    let message = await on.makeDelivery(hook);
    for (const pauseSeconds of [30, 120, 600]) {
      const outcome = await deliverAttempt(on.forge, loopback, message);
      expect(outcome).toMatchObject({ outcome: "waiting", next: { delaySeconds: pauseSeconds } });
      on.test.clock.advance(pauseSeconds * 1000 + 5_000);
      message = nextOf(outcome).message;
    }
    expect(await deliverAttempt(on.forge, loopback, message)).toEqual({ outcome: "failed" });
    expect(on.forge.clock.now() + 5_000 - startedAt).toBeLessThanOrEqual(15 * 60_000);
    const delivery = await on.newest(hook);
    expect(delivery).toMatchObject({ state: "failed", attempt: 4 });
    expect(delivery.attempts.map(({ number, outcome }) => [number, outcome])).toEqual(
      [1, 2, 3, 4].map((number) => [number, "no-answer"]),
    );
    expect(new Set(on.receiver.requests.map(({ headers }) => headers["x-gitea-delivery"]))).toEqual(
      new Set([delivery.id]),
    );
    expect(on.receiver.requests.length).toBe(4);
    expect(await deliverAttempt(on.forge, loopback, message)).toEqual({ outcome: "dropped" });
  });

  it("waits for secrets to be sealed under the key for hooks, with which alone it then signs", async () => {
    const holding = (hookKey: string): Forge => ({
      ...on.forge,
      config: { ...on.forge.config, secretKey: "", hookKey },
    });
    const hook = await on.makeHook();
    const earlier = holding(hookKeysOf(Buffer.alloc(32, 8).toString("base64")));
    const outcome = await deliverAttempt(earlier, loopback, await on.makeDelivery(hook));
    expect(outcome).toMatchObject({ outcome: "waiting", next: { delaySeconds: 30 } });
    expect(on.receiver.requests).toEqual([]);
    const worker = holding(hookKeysOf(on.forge.config.secretKey));
    expect(await deliverAttempt(worker, loopback, nextOf(outcome).message)).toEqual({ outcome: "answered" });
    expect(on.receiver.requests[0]?.headers["x-gitea-signature"]).toBe(sign(payload));
  });

  it("ends with the first answer", async () => {
    broken();
    const hook = await on.makeHook();
    const { message } = nextOf(await deliverAttempt(on.forge, loopback, await on.makeDelivery(hook)));
    on.receiver.answer = (response) => response.end();
    expect(await deliverAttempt(on.forge, loopback, message)).toEqual({ outcome: "answered" });
    expect((await on.newest(hook)).attempts.map((attempt) => attempt.outcome)).toEqual([
      "no-answer",
      "answered",
    ]);
  });

  it("hands the next message out again when that of the former attempt comes back, without sending", async () => {
    broken();
    const first = await on.makeDelivery(await on.makeHook());
    const { message: second } = nextOf(await deliverAttempt(on.forge, loopback, first));
    expect(await deliverAttempt(on.forge, loopback, first)).toEqual({
      outcome: "waiting",
      next: { message: second, delaySeconds: 30 },
    });
    expect(on.receiver.requests.length).toBe(1);
  });
});
