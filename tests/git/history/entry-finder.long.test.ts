import { afterEach, describe, expect, it, vi } from "vitest";
import { EntryFinder } from "#core/git/history/entry-finder";
import { turnsDuring } from "#tests/support/thread-time";

afterEach(() => vi.restoreAllMocks());

const idOf = (digit: number) => Buffer.alloc(20, digit);
/** A raw tree of files `f0000000` and so on, all of one object. */
const treeOf = (count: number, digit: number): Buffer =>
  Buffer.concat(
    Array.from({ length: count }, (_, at) => [
      Buffer.from(`100644 f${String(at).padStart(7, "0")}\0`, "latin1"),
      idOf(digit),
    ]).flat(),
  );
const found = (digit: number) => ({ mode: 0o100644, id: idOf(digit).toString("hex") });
const many = 100_000;

describe("an entry of a tree of 3.6 MB", () => {
  it("is found, and others run while it is looked for", async () => {
    let ms = 0;
    vi.spyOn(performance, "now").mockImplementation(() => (ms += 9));
    const finder = new EntryFinder("sha1", "f0099999");
    const turns = await turnsDuring(async () => expect(await finder.find(treeOf(many, 1))).toEqual(found(1)));
    expect(turns).toBeGreaterThanOrEqual(2);
    expect(finder.find(treeOf(many, 1))).toEqual(found(1));
  });

  it("is absent when the tree ends before it, and a tree that is cut short is refused", async () => {
    expect(await new EntryFinder("sha1", "g").find(treeOf(many, 1))).toBeUndefined();
    const cut = treeOf(many, 1).subarray(0, -1);
    await expect(async () => await new EntryFinder("sha1", "g").find(cut)).rejects.toThrow("cut short");
  });

  it("is that of each tree when two are read at once by one finder", async () => {
    let ms = 0;
    vi.spyOn(performance, "now").mockImplementation(() => (ms += 9));
    const finder = new EntryFinder("sha1", "f0099999");
    const both = [finder.find(treeOf(many, 1)), finder.find(treeOf(many + 1, 2))];
    expect(await Promise.all(both)).toEqual([found(1), found(2)]);
  });
});
