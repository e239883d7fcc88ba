import { describe, expect, it } from "vitest";
import { filterPaced } from "#core/concurrency/pacer";
import { turnsDuring } from "#tests/support/thread-time";

describe("filterPaced", () => {
  it("keeps things in their order, and lets others run between them", async () => {
    const isKept = (thing: number) => {
      const until = performance.now() + 0.2;
      while (performance.now() < until);
      return thing % 2 === 0;
    };
    let kept: number[] = [];
    const turns = await turnsDuring(async () => {
      kept = await filterPaced(
        Array.from({ length: 640 }, (_, at) => at),
        isKept,
      );
    });
    expect(kept).toEqual(Array.from({ length: 320 }, (_, at) => 2 * at));
    expect(turns).toBeGreaterThan(4);
  });

  it("ends with the signal", async () => {
    const things = Array.from({ length: 100_000 }, (_, at) => at);
    const isKept = () => performance.now() > 0 && JSON.stringify(things.slice(0, 100)) !== "";
    await expect(filterPaced(things, isKept, AbortSignal.abort(new Error("left")))).rejects.toThrow("left");
  });
});
