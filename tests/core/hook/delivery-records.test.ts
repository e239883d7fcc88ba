import { describe, expect, it } from "vitest";
import { listDeliveries } from "#core/hook/history";
import { deliveries } from "./deliveries.ts";

const on = deliveries();

describe("delivery records", () => {
  it("are made once per event, hook and thing told", async () => {
    const hook = await on.makeHook();
    const event = { eventId: "the-event", createdAt: on.forge.clock.now() };
    const first = await on.makeDelivery(hook, "{}", event);
    on.test.clock.advance(1000);
    expect(await on.makeDelivery(hook, "{ }", event)).toEqual(first);
    const other = await on.makeDelivery(hook, "{}", { ...event, what: "other" });
    expect(other.delivery).not.toBe(first.delivery);
    const { deliveries } = await listDeliveries(on.forge, hook.id, { limit: 30 });
    expect(deliveries.map(({ payload: text }) => text)).toEqual(["{}", "{}"]);
    for (const { id } of deliveries)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it("are listed newest first, page by page, without those that have expired", async () => {
    const hook = await on.makeHook();
    const old = await on.makeDelivery(hook);
    on.test.clock.advance(6 * 24 * 3600 * 1000);
    const made = [old];
    for (let count = 0; count < 4; count += 1) {
      on.test.clock.advance(1000);
      made.unshift(await on.makeDelivery(hook));
    }
    const first = await listDeliveries(on.forge, hook.id, { limit: 3 });
    const second = await listDeliveries(on.forge, hook.id, { limit: 3, before: first.next ?? "" });
    expect([...first.deliveries, ...second.deliveries].map(({ sk }) => sk)).toEqual(
      made.map(({ delivery }) => delivery),
    );
    on.test.clock.advance(2 * 24 * 3600 * 1000);
    const left = (await listDeliveries(on.forge, hook.id, { limit: 30 })).deliveries.map(({ sk }) => sk);
    expect(left).toEqual(made.slice(0, 4).map(({ delivery }) => delivery));
  });
});
