import { describe, expect, it } from "vitest";
import { parseAllowedHosts } from "#core/guarded-client/allowed-hosts";
import { createGuardedClient } from "#core/guarded-client/guarded-client";
import { deliverAttempt } from "#core/hook/deliver";
import type { DeliveryMessage } from "#core/hook/delivery";
import { editHook, removeHook } from "#core/hook/hook";
import type { Hook } from "#core/hook/hook.table";
import { deliveries, loopback } from "./deliveries.ts";

const on = deliveries();

describe("deliver: nothing is sent", () => {
  async function failure(hook: Hook, message: DeliveryMessage, client = loopback, using = on.forge) {
    expect(await deliverAttempt(using, client, message)).toEqual({ outcome: "failed" });
    expect(on.receiver.requests).toEqual([]);
    return (await on.newest(hook)).attempts[0];
  }

  it("to a loopback target unless the settings permit it; record and log name WEBHOOK_ALLOWED_HOST_LIST", async () => {
    const { setting, webhookAllowedHostList } = { setting: "WEBHOOK_ALLOWED_HOST_LIST", ...on.forge.config };
    const strict = createGuardedClient({ allowed: parseAllowedHosts(setting, webhookAllowedHostList) });
    const hook = await on.makeHook();
    const attempt = await failure(hook, await on.makeDelivery(hook), strict);
    expect(attempt).toMatchObject({ outcome: "refused", reason: expect.stringContaining(setting) });
    const line = on.test.logged.findLast(({ event }) => event === "webhooks:not-delivered");
    expect(line).toMatchObject({ level: "warn", hookId: hook.id, reason: attempt?.reason });
  });

  it("once the hook is switched off", async () => {
    const hook = await on.makeHook();
    const message = await on.makeDelivery(hook);
    await editHook(on.forge, hook.parent, hook.id, { isActive: false });
    expect(await failure(hook, message)).toMatchObject({ reason: expect.stringContaining("not active") });
  });

  it("once the hook is removed", async () => {
    const hook = await on.makeHook();
    const message = await on.makeDelivery(hook);
    await removeHook(on.forge, hook.parent, hook.id);
    expect(await failure(hook, message)).toMatchObject({ reason: expect.stringContaining("removed") });
  });

  it("while DISABLE_WEBHOOKS is set", async () => {
    const hook = await on.makeHook();
    const disabled = { ...on.forge, config: { ...on.forge.config, disableWebhooks: true } };
    const attempt = await failure(hook, await on.makeDelivery(hook), loopback, disabled);
    expect(attempt).toMatchObject({ reason: expect.stringContaining("DISABLE_WEBHOOKS") });
  });

  it("when the record has expired", async () => {
    const message = await on.makeDelivery(await on.makeHook());
    on.test.clock.advance(7 * 24 * 3600 * 1000);
    expect(await deliverAttempt(on.forge, loopback, message)).toEqual({ outcome: "dropped" });
    expect(on.receiver.requests).toEqual([]);
  });
});
