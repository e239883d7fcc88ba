import { describe, expect, it } from "vitest";
import { parseGlob } from "#core/glob";
import type { Hook } from "#core/hook/hook.table";
import { Listeners } from "#core/hook/listeners";

/** Filters made to be slow: every step of them stays open, whatever the branch is called. */
const slowFilter = (number: number): string => `${"*a".repeat(120)}${number}b`;
const hooks = Array.from(
  { length: 100 },
  (_, number) => ({ isActive: true, events: ["push"], branchFilter: slowFilter(number) }) as unknown as Hook,
);
const branch = "a".repeat(980);

/** Milliseconds of this process's own time, which other work on the machine does not lengthen. */
function ownMs(work: () => void): number {
  const began = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1000;
}

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
