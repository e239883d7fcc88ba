import { describe, expect, it } from "vitest";
import type { Forge } from "#core/forge";
import { clearingUp, inTurn, type Part } from "#core/jobs/passes";

const forge = { clock: { now: () => 3_600_000 } } as Forge;

/** Parts that take two steps each, and say that they were done. */
const partsOf = (names: readonly string[], done: string[]): Part<object>[] =>
  names.map((name) => ({
    name,
    async step(_forge, _subject, inner = 0) {
      done.push(`${name} ${inner}`);
      return { hasFound: false, hasMore: inner === 0, inner: 1 };
    },
  }));

describe("a job of parts", () => {
  it("does them in order, each in as many steps as it takes", async () => {
    const done: string[] = [];
    const job = inTurn(partsOf(["stars", "rows"], done));
    let step = await job.step(forge, {}, undefined);
    while (!("done" in step)) step = await job.step(forge, {}, step.cursor);
    expect(done).toEqual(["stars 0", "stars 1", "rows 0", "rows 1"]);
  });

  it("passes by all parts that find nothing in one step", async () => {
    const empty = ["stars", "rows", "names"].map((name) => ({
      name,
      step: async () => ({ hasFound: false, hasMore: false }),
    }));
    expect(await inTurn(empty).step(forge, {}, undefined)).toEqual({ done: true });
  });

  it("goes on with its part after a deploy that brought another one before it", async () => {
    const done: string[] = [];
    const before = inTurn(partsOf(["stars", "rows"], []));
    const interrupted = await before.step(forge, {}, { part: "rows" });
    if ("done" in interrupted) throw new Error("the part takes two steps");
    await inTurn(partsOf(["bookmarks", "stars", "rows"], done)).step(forge, {}, interrupted.cursor);
    expect(done).toEqual(["rows 1"]);
  });

  it("begins a pass anew where its part is not there any more", async () => {
    const done: string[] = [];
    const job = clearingUp({ parts: partsOf(["stars", "rows"], done), since: () => 0 });
    const step = await job.step(forge, {}, { beganAt: 3_600_000, part: "gone", inner: 1, hasFound: true });
    expect(done).toEqual(["stars 0"]);
    expect(step).toMatchObject({ cursor: { part: "stars", inner: 1, hasFound: true } });
  });
});
