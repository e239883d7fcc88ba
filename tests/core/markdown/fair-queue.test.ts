import { EventEmitter, once } from "node:events";
import { describe, expect, it } from "vitest";
import { FairQueue } from "#core/markdown/fair-queue";

/** A queue on a clock of its own; work takes the time it says, and notes whose it was. */
function makeQueue() {
  let now = 0;
  const queue = new FairQueue(() => now);
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

describe("turns in a fair queue", () => {
  it("are one after another; who used the least goes first, whoever came before him", async () => {
    const { work, done } = makeQueue();
    const hostile = Array.from({ length: 4 }, () => work("hostile", 1_000));
    const others = ["ada", "bob", "carol"].flatMap((caller) => [work(caller), work(caller)]);
    await Promise.all([...hostile, ...others]);
    const afterFirst = ["ada", "bob", "carol", "ada", "bob", "carol"];
    expect(done).toEqual(["hostile", ...afterFirst, "hostile", "hostile", "hostile"]);
  });

  it("end for who has used up 5 s of a minute, his waiting texts too, and begin anew when it is over", async () => {
    const { work, done, pass } = makeQueue();
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

  it("are waited for by 8 of a caller and 32 of all; more are told to come back, and the others go on", async () => {
    const { work, queue } = makeQueue();
    const opening = new EventEmitter();
    const held = queue.take("first", async () => void (await once(opening, "open")));
    const waiting = Array.from({ length: 8 }, () => work("hostile"));
    await expect(work("hostile")).rejects.toMatchObject({ code: "rate-limited", retryAfterSeconds: 2 });
    for (let at = 0; at < 24; at += 1) waiting.push(work(`caller ${at}`));
    await expect(work("late")).rejects.toMatchObject({ code: "rate-limited", retryAfterSeconds: 2 });
    opening.emit("open");
    await Promise.all([held, ...waiting]);
    expect(await work("late")).toBe("late");
  });

  it("go on after work that failed", async () => {
    const queue = new FairQueue();
    const failing = queue.take("ada", () => Promise.reject(new Error("broken")));
    const next = queue.take("ada", () => Promise.resolve("next"));
    await expect(failing).rejects.toThrow("broken");
    expect(await next).toBe("next");
  });
});
