import { describe, expect, it, vi } from "vitest";
import type { Hook } from "#core/hook/hook.table";
import { HookSubscriptions } from "#core/hook/subscriptions";
import { MatchTime } from "#core/pattern/match-time";
import { turnsDuring } from "#tests/support/thread-time";

/** Filters made to be slow: every step of them stays open, whatever the branch is called. */
const slowFilter = (number: number): string => `${"*a".repeat(120)}${number}b`;
const hooks = Array.from(
  { length: 100 },
  (_, number) => ({ isActive: true, events: ["push"], branchFilter: slowFilter(number) }) as unknown as Hook,
);
const branch = "a".repeat(980);

describe("branch filters made to be slow", () => {
  it("let others have their turn while a hundred of them are matched, and are matched once a branch", async () => {
    // A turn for others after each, however fast or slow the machine is.
    const time = new MatchTime({ mostMs: Number.POSITIVE_INFINITY, sliceMs: 0 });
    const spend = vi.spyOn(time, "spend");
    const subscriptions = new HookSubscriptions(hooks, time);
    const none = async () =>
      expect(await subscriptions.subscribed({ eventType: "push", branch })).toEqual([]);
    expect(await turnsDuring(none)).toBeGreaterThanOrEqual(hooks.length);
    await none();
    expect(spend).toHaveBeenCalledTimes(hooks.length);
  });
});
