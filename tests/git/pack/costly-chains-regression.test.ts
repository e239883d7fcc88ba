import { expect, it } from "vitest";
import { objectIdOf } from "#core/git/format/object-format";
import type { GitObject } from "#core/git/format/object-type";
import { ingestedPacks } from "#tests/git/memory/pack-sets";
import { delta, type RawEntry, rawPack } from "./raw-pack.ts";

const size = 4 * 2 ** 20;
const deltas = 24;
const piece = 0x10000;

/** A pack of some KB: a large blob, and deltas on each other that each make as large a one. */
function costlyChain() {
  const line = Buffer.from("one line of many\n");
  const base = Buffer.alloc(size, line);
  const copies = Array.from({ length: size / piece - 1 }, (_, at) => ({
    from: (at + 1) * piece,
    size: piece,
  }));
  const start = (number: number) => Buffer.from(`version ${number}\n`);
  const entries: RawEntry[] = Array.from({ length: deltas }, (_, at) => {
    const own = start(at);
    return {
      ofs: at,
      data: delta(size, size, [own, { from: own.length, size: piece - own.length }, ...copies]),
    };
  });
  const last: GitObject = { type: "blob", data: Buffer.from(base) };
  for (let at = 0; at < deltas; at += 1) start(at).copy(last.data);
  return { pack: rawPack("sha1", [{ type: "blob", data: base }, ...entries]), last };
}

it("an object on a chain of large deltas asks after each million bytes whether others are to run, and ends when nobody waits", async () => {
  const { pack, last } = costlyChain();
  expect(pack.length).toBeLessThan(100_000);
  const packs = await ingestedPacks("sha1", [pack]);
  const id = objectIdOf("sha1", "blob", last.data);
  expect(packs.readCached(packs.find(id) as number)).toBeUndefined();
  let looks = 0;
  const count = () => {
    looks += 1;
    return undefined;
  };
  const object = await packs.read(id, count);
  expect(object.data.equals(last.data)).toBe(true);
  expect(looks).toBeGreaterThan((deltas * size) / 2 ** 20);
  const leave = () => {
    throw new Error("left");
  };
  await expect(packs.read(id, leave)).rejects.toThrow("left");
});
