import { describe, expect, it } from "vitest";
import { parseGlob } from "#core/hook/glob";
import type { Hook } from "#core/hook/hook.table";
import { Listeners } from "#core/hook/listeners";

/** Filters made to be slow: every step of them stays open, whatever the branch is called. */
const slowFilter = (number: number): string => `${"*a".repeat(120)}${number}b`;
const hooks = Array.from(
  { length: 100 },
  (_, number) => ({ isActive: true, events: ["push"], branchFilter: slowFilter(number) }) as unknown as Hook,
);
const branch = "a".repeat(980);

/** Backtracking would take longer than anybody waits; a matcher that keeps its steps takes milliseconds. */
const mostMs = 5_000;

describe("branch filters made to be slow", () => {
  it("are matched without backtracking", () => {
    const glob = parseGlob(slowFilter(0));
    const match = () => "matches" in glob && glob.matches(branch);
    const began = performance.now();
    expect(match()).toBe(false);
    expect(performance.now() - began).toBeLessThan(mostMs);
  });

  it("a run of stars is as fast as one", () => {
    const glob = parseGlob("*".repeat(1000));
    const began = performance.now();
    expect("matches" in glob && glob.matches(branch)).toBe(true);
    expect(performance.now() - began).toBeLessThan(mostMs);
  });

  it("let others have their turn while a hundred of them are matched, and are matched once a branch", async () => {
    const listeners = new Listeners(hooks);
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 1);
    expect(await listeners.wanting({ eventType: "push", branch })).toEqual([]);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(3);
    let hasWaited = false;
    setImmediate(() => {
      hasWaited = true;
    });
    expect(await listeners.wanting({ eventType: "push", branch })).toEqual([]);
    expect(hasWaited).toBe(false);
  });
});
