import { setImmediate, setTimeout } from "node:timers/promises";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { createLog } from "#core/log";
import { LoopWatch } from "#infra/local/loop-watch";
import { threadCpuClock } from "#infra/local/thread-cpu";

/** Time passes when the test says so: a busy machine makes no stall of its own. */
let now = 0;
beforeEach(() => {
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
  onTestFinished(() => clock.mockRestore());
});
const hold = (ms: number): void => {
  now += ms;
};

function makeWatch(options: { cpuClock?: () => number } = {}) {
  const lines: { event: string; busyMs: number; cpuMs?: number; operations: string[] }[] = [];
  const log = createLog((line) => void lines.push(JSON.parse(line)));
  return { watch: new LoopWatch(log, options), lines };
}

describe("the watch over the event loop", () => {
  it("tells how long it was busy in one turn, and what was under way, the newest first", async () => {
    const { watch, lines } = makeWatch();
    const endOther = watch.begin("GET /slow-client");
    await watch.during("POST /hard", async () => {
      await setImmediate();
      hold(300);
      await setTimeout(60); // the watch looks every 20 ms
    });
    endOther();
    expect(lines[0]).toMatchObject({
      event: "loop:stalled",
      level: "warn",
      operations: ["POST /hard", "GET /slow-client"],
    });
    expect(lines[0]?.busyMs).toBe(280);
    expect(lines).toHaveLength(1);
  });

  it("tells of work that ends in the turn that it held the loop for", async () => {
    const { watch, lines } = makeWatch();
    await watch.during("GET /all-at-once", async () => hold(300));
    expect(lines).toMatchObject([{ event: "loop:stalled" }]);
  });

  it("tells what of that time the loop computed itself, and the machine ran nothing else", async () => {
    const { watch, lines } = makeWatch({ cpuClock: () => now / 4 });
    await watch.during("GET /beside-others", async () => hold(400));
    expect(lines).toMatchObject([{ busyMs: 380, cpuMs: 100 }]);
  });

  it.runIf(process.platform === "linux")("reads what a thread computed from the system", () => {
    const clock = threadCpuClock();
    const before = clock?.() ?? Number.POSITIVE_INFINITY;
    // The system counts it at each of its ticks, a few milliseconds apart.
    const hasMoved = () => Number(clock?.()) > before;
    for (let looks = 0; looks < 1e7 && !hasMoved(); looks += 1);
    expect(hasMoved()).toBe(true);
  });

  it("says nothing of work that lets others run, and nothing of what happens while nothing is under way", async () => {
    const { watch, lines } = makeWatch();
    await watch.during("GET /waits", () => setTimeout(60));
    hold(5_000);
    await watch.during("GET /waits", () => setTimeout(60));
    expect(lines).toEqual([]);
  });
});
