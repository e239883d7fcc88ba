import { describe, expect, it } from "vitest";
import { createKnownItems } from "./known-items.ts";

const key = { pk: "P", sk: "a" };
const item = (n: number) => ({ ...key, n });
const nothing = async () => undefined;

function pending() {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve: () => resolve() };
}

describe("what is known of an item", () => {
  it("is that it isn't there, until somebody writes it", async () => {
    const known = createKnownItems();
    expect([known.has(key), known.get(key)]).toEqual([true, undefined]);
    await known.change([key], nothing, []);
    expect(known.has(key)).toBe(false);
  });

  it("is what the last write made, if it succeeded and met no other", async () => {
    const known = createKnownItems();
    await known.change([key], nothing, [[key, item(1)]]);
    expect(known.get(key)).toEqual(item(1));
    await expect(
      known.change([key], () => Promise.reject(new Error("lost")), [[key, item(2)]]),
    ).rejects.toThrow();
    expect(known.has(key)).toBe(false);
    const { promise, resolve } = pending();
    const early = known.change([key], () => promise, [[key, item(3)]]);
    await known.change([key], nothing, [[key, item(4)]]);
    expect(known.has(key)).toBe(false);
    resolve();
    await early;
    expect(known.has(key)).toBe(false);
  });

  it("is what a read found beside which nothing was written", async () => {
    const known = createKnownItems();
    const { promise, resolve } = pending();
    const changing = known.change([key], () => promise, []);
    await known.look(nothing, () => [[key, item(1)]]);
    expect(known.has(key)).toBe(false);
    const early = known.look(
      () => changing,
      () => [[key, item(1)]],
    );
    resolve();
    await early;
    expect(known.has(key)).toBe(false);
    await known.look(nothing, () => [[key, item(2)]]);
    expect(known.get(key)).toEqual(item(2));
  });
});
