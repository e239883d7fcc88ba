import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { giveWay, noteArrival } from "#core/concurrency/give-way";

/** Starts works that give way again and again, and records who went on, one letter each time. */
function start(names: string): { readonly went: string[]; readonly end: Promise<unknown> } {
  const went: string[] = [];
  const work = async (name: string) => {
    for (let step = 0; step < 3; step += 1) {
      await giveWay();
      went.push(name);
    }
  };
  return { went, end: Promise.all([...names].map(work)) };
}

describe("giveWay", () => {
  it("lets one of many go on in each turn of the loop, each in its turn", async () => {
    const { went, end } = start("abc");
    for (let turns = 1; turns <= 9; turns += 1) {
      await turn();
      expect(went.length).toBeLessThanOrEqual(turns);
    }
    await end;
    expect(went.join("")).toBe("abcabcabc");
  });

  it("keeps turns free while clients connect, and not for ever", async () => {
    const { went, end } = start("a");
    for (let turns = 0; turns < 10; turns += 1) {
      noteArrival();
      await turn();
    }
    expect(went).toEqual([]);
    let arrivals = 0;
    for (; went.length < 3 && arrivals < 1_000; arrivals += 1) {
      noteArrival();
      await turn();
    }
    expect([went.length, arrivals > 20]).toEqual([3, true]);
    await end;
  });
});
