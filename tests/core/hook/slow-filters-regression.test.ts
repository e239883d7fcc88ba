import { describe, expect, it, vi } from "vitest";
import { parseGlob } from "#core/glob";
import type { Hook } from "#core/hook/hook.table";
import { Listeners } from "#core/hook/listeners";
import { MatchTime } from "#core/match-time";
import { ownMs, turnsDuring } from "#tests/support/thread-time";

/** Filters made to be slow: every step of them stays open, whatever the branch is called. */
const slowFilter = (number: number): string => `${"*a".repeat(120)}${number}b`;
const hooks = Array.from(
  { length: 100 },
  (_, number) => ({ isActive: true, events: ["push"], branchFilter: slowFilter(number) }) as unknown as Hook,
);
const branch = "a".repeat(980);

describe("branch filters made to be slow", () => {
  it("are matched in milliseconds each", () => {
    const glob = parseGlob(slowFilter(0));
    const match = () => "matches" in glob && glob.matches(branch);
    match();
    expect(ownMs(() => expect(match()).toBe(false))).toBeLessThan(60);
  });

  it("a run of stars is as fast as one", () => {
    const glob = parseGlob("*".repeat(1000));
    expect(ownMs(() => expect("matches" in glob && glob.matches(branch)).toBe(true))).toBeLessThan(40);
  });

  it("let others have their turn while a hundred of them are matched, and are matched once a branch", async () => {
    // A turn for others after each, however fast or slow the machine is.
    const time = new MatchTime({ mostMs: Number.POSITIVE_INFINITY, stretchMs: 0 });
    const spend = vi.spyOn(time, "spend");
    const listeners = new Listeners(hooks, time);
    const none = async () => expect(await listeners.wanting({ eventType: "push", branch })).toEqual([]);
    expect(await turnsDuring(none)).toBeGreaterThanOrEqual(hooks.length);
    await none();
    expect(spend).toHaveBeenCalledTimes(hooks.length);
  });
});
