import { readdir } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { hashObject, type ObjectFormat } from "#core/git/format/object-format";
import { copyAll, delta, rawPack } from "../pack/raw-pack.ts";
import { temporaryFolder } from "../pack/real-git.ts";
import { take, taken } from "./taken.ts";

const mebibyte = 2 ** 20;

describe.each<ObjectFormat>(["sha256"])("ingestPack of large %s objects", (format) => {
  const idOf = (type: string, data: Buffer) => hashObject(format, type, data).toString("hex");

  it("names blobs too large for memory, and what is made of them by deltas", async () => {
    const large = Buffer.alloc(34 * mebibyte, "all work and no play\n");
    const longer = Buffer.concat([large, Buffer.from("the end")]);
    const longest = Buffer.concat([longer, Buffer.from(" of it")]);
    const small = large.subarray(5, 105);
    const smaller = small.subarray(0, 50);
    const again = Buffer.concat([small, large]);
    const entries = [
      { data: large },
      {
        data: delta(large.length, longer.length, [...copyAll(large.length), Buffer.from("the end")]),
        ofs: 0,
      },
      {
        data: delta(longer.length, longest.length, [...copyAll(longer.length), Buffer.from(" of it")]),
        ofs: 1,
      },
      { data: delta(large.length, small.length, [{ from: 5, size: 100 }]), ofs: 0 },
      { data: delta(small.length, smaller.length, [{ from: 0, size: 50 }]), ofs: 3 },
      {
        data: delta(large.length, again.length, [{ from: 5, size: 100 }, ...copyAll(large.length)]),
        ref: hashObject(format, "blob", large),
      },
    ];
    const folder = await temporaryFolder();
    const pack = await taken(format, rawPack(format, entries), { temporaryFolder: folder });
    for (const data of [large, longer, longest, small, smaller, again]) {
      const position = pack.sideFile.find(hashObject(format, "blob", data));
      expect(position, `a blob of ${data.length}`).toBeGreaterThanOrEqual(0);
      expect(pack.sideFile.sizeAt(position)).toBe(data.length);
    }
    const [inner] = await readdir(folder);
    expect(await readdir(`${folder}/${inner}`), "only the pack is left").toHaveLength(1);
    expect((await pack.read(idOf("blob", again)))?.data.equals(again)).toBe(true);
  });

  it("checks a tree of a hundred thousand entries, and takes trees that share most of it", async () => {
    const blob = hashObject(format, "blob", Buffer.from("content"));
    const name = (at: number) => `100644 file-${`${at}`.padStart(6, "0")}\0`;
    const entries = Array.from({ length: 100_000 }, (_, at) => Buffer.concat([Buffer.from(name(at)), blob]));
    const tree = Buffer.concat(entries);
    const shorter = Buffer.concat(entries.slice(0, -1));
    const whole = rawPack(format, [
      { data: Buffer.from("content") },
      { type: "tree", data: tree },
      { data: delta(tree.length, shorter.length, copyAll(shorter.length)), ofs: 1 },
    ]);
    const pack = await taken(format, whole);
    expect(pack.has(idOf("tree", tree)) && pack.has(idOf("tree", shorter))).toBe(true);
    expect(pack.outside.count).toBe(0);
    const unsorted = Buffer.concat([...entries.slice(0, -1), Buffer.from("100644 a\0"), blob]);
    const sent = rawPack(format, [{ data: Buffer.from("content") }, { type: "tree", data: unsorted }]);
    expect(await take(format, sent)).toMatchObject({ reason: { kind: "bad-object" } });
  });
});
