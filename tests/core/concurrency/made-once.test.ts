import { EventEmitter, once } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { FairQueue } from "#core/concurrency/fair-queue";
import { MadeOnce } from "#core/concurrency/made-once";

/** Things that are made until `finish`, one at a time of each caller and `atOnce` in all; notes which were begun. */
function makeThings(atOnce = 1) {
  const things = new MadeOnce<string>(new FairQueue({ atOnce, atOnceEach: 1, mostWaitingEach: 2 }));
  const finishing = new EventEmitter();
  const begun: string[] = [];
  const unheard: unknown[] = [];
  const get = (key: string, caller: string, signal = new AbortController().signal) =>
    things.get(key, {
      caller,
      async make() {
        begun.push(`${key} of ${caller}`);
        const [error] = await once(finishing, key);
        if (error !== undefined) throw error;
        return `made ${key}`;
      },
      unheard: (error) => unheard.push(error),
      signal,
    });
  const finish = async (key: string, error?: Error) => {
    finishing.emit(key, error);
    await turn();
  };
  return { get, begun, finish, unheard };
}

const leaving = () => {
  const controller = new AbortController();
  return { signal: controller.signal, leave: () => controller.abort(new Error("left")) };
};

describe("MadeOnce", () => {
  it("makes for all who ask what the first one asked for, and anew once it was made", async () => {
    const { get, begun, finish } = makeThings();
    const asked = Promise.all([get("a", "one"), get("a", "one"), get("a", "other")]);
    await finish("a");
    expect(await asked).toEqual(["made a", "made a", "made a"]);
    const again = get("a", "other");
    await finish("a");
    await again;
    expect(begun).toEqual(["a of one", "a of other"]);
  });

  it("goes on with what has begun when all have left; who comes back waits for the same", async () => {
    const { get, begun, finish } = makeThings();
    const { signal, leave } = leaving();
    const first = get("a", "one", signal);
    leave();
    await expect(first).rejects.toThrow("left");
    const back = get("a", "one");
    await finish("a");
    expect([await back, begun]).toEqual(["made a", ["a of one"]]);
  });

  it("drops what nobody waits for before its turn; who comes back queues anew", async () => {
    const { get, begun, finish } = makeThings();
    const first = get("a", "one");
    const { signal, leave } = leaving();
    const second = get("b", "one", signal);
    leave();
    await expect(second).rejects.toThrow("left");
    const back = get("b", "one");
    await finish("a");
    await first;
    await finish("b");
    expect([await back, begun]).toEqual(["made b", ["a of one", "b of one"]]);
  });

  it("takes whoever's turn comes first: nobody waits behind another's other requests", async () => {
    const { get, begun, finish } = makeThings();
    const running = get("a", "greedy");
    const others = [get("b", "greedy"), get("c", "greedy"), get("c", "modest")];
    await turn();
    await finish("a");
    expect(begun.at(-1)).toBe("c of modest");
    await finish("c");
    await finish("b");
    await Promise.all([running, ...others]);
    expect(begun).toEqual(["a of greedy", "c of modest", "b of greedy"]);
  });

  it("counts what one caller asks for several times as one in the queue, and refuses what is too much", async () => {
    const { get, finish } = makeThings();
    const running = get("a", "one");
    const waiting = [get("b", "one"), get("b", "one"), get("b", "one"), get("c", "one")];
    await expect(get("d", "one")).rejects.toMatchObject({ code: "rate-limited" });
    for (const key of ["a", "b", "c"]) await finish(key);
    await Promise.all([running, ...waiting]);
  });

  it("tells a failure to all who wait, and to `unheard` where nobody does", async () => {
    const { get, finish, unheard } = makeThings();
    const heard = Promise.allSettled([get("a", "one"), get("a", "other")]);
    await finish("a", new Error("heard"));
    expect((await heard).map((one) => (one as PromiseRejectedResult).reason.message)).toEqual([
      "heard",
      "heard",
    ]);
    const { signal, leave } = leaving();
    const gone = get("b", "one", signal);
    leave();
    await expect(gone).rejects.toThrow("left");
    await finish("b", new Error("unheard"));
    expect(unheard).toEqual([new Error("unheard")]);
    const again = get("b", "one");
    await finish("b");
    expect(await again).toBe("made b");
  });
});
