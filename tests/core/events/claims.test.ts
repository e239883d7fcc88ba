import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { claimEvent, finishClaim, releaseClaim } from "#core/events/claims";
import { makeForge, type TestForge } from "#tests/support/forge";

describe("claims", () => {
  let on: TestForge;
  let event = "";
  let events = 0;
  beforeAll(async () => {
    on = await makeForge();
  });
  beforeEach(() => {
    on.faults.recover();
    events += 1;
    event = `event-${events}`;
  });
  afterAll(() => on.stop());

  const take = (leaseSeconds = 60) => claimEvent(on.forge, "webhooks", event, leaseSeconds);
  async function taken(leaseSeconds?: number): Promise<string> {
    const outcome = await take(leaseSeconds);
    if (outcome.outcome !== "claimed") throw new Error(`not claimed: ${outcome.outcome}`);
    return outcome.holder;
  }

  it("lets one of many rivals claim an event", async () => {
    const outcomes = await Promise.all(Array.from({ length: 12 }, () => take()));
    expect(outcomes.filter(({ outcome }) => outcome === "claimed")).toHaveLength(1);
    expect(outcomes.filter(({ outcome }) => outcome === "working")).toHaveLength(11);
  });

  it("says done once the holder has finished", async () => {
    expect(await finishClaim(on.forge, "webhooks", event, await taken())).toBe(true);
    expect(await take()).toEqual({ outcome: "done" });
  });

  it("keeps consumers apart", async () => {
    await finishClaim(on.forge, "webhooks", event, await taken());
    expect((await claimEvent(on.forge, "mirrors", event, 60)).outcome).toBe("claimed");
  });

  it("goes to another when the lease has run out, and the late holder can't finish", async () => {
    const late = await taken(60);
    on.clock.advance(59_999);
    expect((await take()).outcome).toBe("working");
    on.clock.advance(1);
    const next = await taken(60);
    expect(await finishClaim(on.forge, "webhooks", event, late)).toBe(false);
    expect((await take()).outcome).toBe("working");
    expect(await finishClaim(on.forge, "webhooks", event, next)).toBe(true);
  });

  it("lets the late holder finish when nobody else has claimed the event", async () => {
    const late = await taken(60);
    on.clock.advance(120_000);
    expect(await finishClaim(on.forge, "webhooks", event, late)).toBe(true);
    expect((await take()).outcome).toBe("done");
  });

  it("is free again at once after release, but not when another holds it", async () => {
    const first = await taken();
    await releaseClaim(on.forge, "webhooks", event, first);
    const second = await taken();
    await releaseClaim(on.forge, "webhooks", event, first);
    expect((await take()).outcome).toBe("working");
    await finishClaim(on.forge, "webhooks", event, second);
    await releaseClaim(on.forge, "webhooks", event, second);
    expect((await take()).outcome).toBe("done");
  });

  it("counts a claim whose ttl is past as absent", async () => {
    await finishClaim(on.forge, "webhooks", event, await taken());
    on.clock.advance(2 * 24 * 3_600_000 + 1000);
    expect((await take()).outcome).toBe("claimed");
  });

  it("knows its own claim and its own finish when the answer got lost", async () => {
    on.faults.inject({ service: "dynamodb", operation: "PutItem", fault: "lost-answer" });
    const holder = await taken();
    on.faults.inject({ service: "dynamodb", operation: "UpdateItem", fault: "lost-answer" });
    expect(await finishClaim(on.forge, "webhooks", event, holder)).toBe(true);
    expect((await take()).outcome).toBe("done");
  });
});
