import { EventEmitter, once } from "node:events";
import { describe, expect, it } from "vitest";
import { serviceCaller } from "#core/caller/caller";
import { FairQueue, type FairQueueOptions } from "#core/concurrency/fair-queue";

/** A queue on a clock of its own; work takes the time it says, and notes its caller. */
function makeQueue(options: Partial<FairQueueOptions> = {}) {
  let now = 0;
  const queue = new FairQueue({ atOnce: 1, atOnceEach: 1, now: () => now, ...options });
  const done: string[] = [];
  const work = (caller: string, tookMs = 1) =>
    queue.take(caller, async () => {
      await Promise.resolve();
      now += tookMs;
      done.push(caller);
      return caller;
    });
  const pass = (ms: number) => {
    now += ms;
  };
  return { work, done, pass, queue };
}

/** Work that goes on until it is let go, and how many are at it. */
function heldWork() {
  const opening = new EventEmitter().setMaxListeners(100);
  const begun: string[] = [];
  const hold = (caller: string) => async () => {
    begun.push(caller);
    await once(opening, "open");
  };
  return { begun, hold, open: () => opening.emit("open") };
}

describe("turns in a fair queue", () => {
  it("are one after another; who used the least goes first, whoever came before", async () => {
    const { work, done } = makeQueue();
    const hostile = Array.from({ length: 4 }, () => work("hostile", 1_000));
    const others = ["ada", "bob", "carol"].flatMap((caller) => [work(caller), work(caller)]);
    await Promise.all([...hostile, ...others]);
    const afterFirst = ["ada", "bob", "carol", "ada", "bob", "carol"];
    expect(done).toEqual(["hostile", ...afterFirst, "hostile", "hostile", "hostile"]);
  });

  it("are given several at a time, never more to one caller than the caller's share", async () => {
    const { queue } = makeQueue({ atOnce: 3, atOnceEach: 2 });
    const { begun, hold, open } = heldWork();
    const all = ["hostile", "hostile", "hostile", "ada", "bob"].map((one) => queue.take(one, hold(one)));
    await Promise.resolve();
    expect(begun).toEqual(["hostile", "hostile", "ada"]);
    for (let turn = 0; begun.length < 5 || turn < 1; turn += 1) {
      open();
      await new Promise(setImmediate);
    }
    open();
    await Promise.all(all);
    expect(begun.slice(3)).toEqual(["bob", "hostile"]);
  });

  it("end for a caller who has used up the allowance of a minute, waiting work too, and begin anew when it is over", async () => {
    const { work, done, pass } = makeQueue({ allowanceMs: 5_000 });
    const all = await Promise.allSettled([1, 2, 3, 4, 5].map(() => work("hostile", 3_000)));
    expect(all.map(({ status }) => status)).toEqual([
      ...["fulfilled", "fulfilled"],
      ...["rejected", "rejected", "rejected"],
    ]);
    await expect(work("hostile")).rejects.toMatchObject({ code: "rate-limited", retryAfterSeconds: 57 });
    expect(await work("ada")).toBe("ada");
    pass(60_000);
    expect(await work("hostile")).toBe("hostile");
    expect(done).toEqual(["hostile", "hostile", "ada", "hostile"]);
  });

  it("are waited for by so many of a caller and so many of all; who has most waiting gives way to newcomers", async () => {
    const { work, queue } = makeQueue({ mostWaitingEach: 3, mostWaiting: 5 });
    const { hold, open } = heldWork();
    const held = queue.take("first", hold("first"));
    const hostile = Array.from({ length: 3 }, () => work("hostile"));
    await expect(work("hostile")).rejects.toMatchObject({ code: "rate-limited", retryAfterSeconds: 2 });
    const others = [work("ada"), work("bob"), work("carol"), work("dora")];
    const refusals = hostile
      .slice(1)
      .map((one) => expect(one).rejects.toMatchObject({ code: "unavailable" }));
    await Promise.all(refusals);
    await expect(work("emil")).rejects.toMatchObject({ code: "unavailable", retryAfterSeconds: 2 });
    open();
    await held;
    expect(await Promise.all([hostile[0], ...others])).toEqual(["hostile", "ada", "bob", "carol", "dora"]);
  });

  it("are refused to the service itself never, however many it waits for", async () => {
    const { work, done } = makeQueue({ mostWaitingEach: 1, mostWaiting: 2, allowanceMs: 1 });
    await Promise.all(Array.from({ length: 10 }, () => work(serviceCaller, 1_000)));
    expect(done).toHaveLength(10);
  });

  it("are given up by callers who leave before the turn", async () => {
    const { work, queue, done } = makeQueue();
    const { hold, open } = heldWork();
    const held = queue.take("first", hold("first"));
    const leaving = new AbortController();
    const gone = queue.take("gone", () => work("never"), leaving.signal);
    const next = work("ada");
    leaving.abort(new Error("left"));
    await expect(gone).rejects.toThrow("left");
    open();
    await Promise.all([held, next]);
    expect(done).toEqual(["ada"]);
  });

  it("go on after work that failed", async () => {
    const { queue } = makeQueue();
    const failing = queue.take("ada", () => Promise.reject(new Error("broken")));
    const next = queue.take("ada", () => Promise.resolve("next"));
    await expect(failing).rejects.toThrow("broken");
    expect(await next).toBe("next");
  });
});
