import { randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { hashObject, type ObjectFormat } from "#core/git/format/object-format";
import { copyAll, delta, rawPack } from "../pack/raw-pack.ts";
import { temporaryFolder } from "../pack/real-git.ts";
import { take, taken } from "./taken.ts";

const mebibyte = 2 ** 20;

describe.each<ObjectFormat>(["sha1", "sha256"])("ingestPack of large %s objects", (format) => {
  const idOf = (type: string, data: Buffer) => hashObject(format, type, data).toString("hex");

  it("refuses wrong deltas on large blobs and leaves nothing", async () => {
    const large = Buffer.alloc(34 * mebibyte, "x");
    const wrong = [
      delta(large.length + 1, 4, [{ from: 0, size: 4 }]),
      delta(large.length, 4, [{ from: large.length - 3, size: 4 }]),
      delta(large.length, 5, [{ from: 0, size: 4 }]),
      delta(large.length, 3, [{ from: 0, size: 4 }]),
      delta(large.length, large.length, copyAll(large.length).slice(1)),
      Buffer.concat([delta(large.length, 4, []), Buffer.from([9, 1])]),
      Buffer.concat([delta(large.length, 4, []), Buffer.from([0])]),
    ];
    for (const data of wrong) {
      const folder = await temporaryFolder();
      const sent = rawPack(format, [{ data: large }, { data, ofs: 0 }]);
      expect(await take(format, sent, { temporaryFolder: folder })).toMatchObject({
        ok: false,
        reason: { kind: "bad-delta" },
      });
      expect(await readdir(folder)).toEqual([]);
    }
  });

  it("takes entries that are longer than any piece in memory", async () => {
    const blob = randomBytes(7 * mebibyte);
    const change = Buffer.concat(
      Array.from({ length: 40_000 }, () => Buffer.concat([Buffer.from([100]), randomBytes(100)])),
    );
    const data = Buffer.concat([delta(blob.length, 4_000_000, []), change]);
    const sent = rawPack(format, [{ data: blob }, { data, ofs: 0 }, { data: Buffer.from("after") }]);
    const pack = await taken(format, sent, { pieceBytes: 100_003 });
    expect(pack.has(idOf("blob", blob))).toBe(true);
    expect(pack.has(idOf("blob", Buffer.from("after")))).toBe(true);
    expect((await taken(format, sent)).side.equals(pack.side)).toBe(true);
    for (const cut of [3 * mebibyte, 8 * mebibyte]) {
      expect(await take(format, sent.subarray(0, cut))).toMatchObject({ reason: { kind: "truncated" } });
    }
    const broken = Buffer.from(sent);
    broken.fill(0, 5 * mebibyte, 5 * mebibyte + 100);
    expect((await take(format, broken)).ok).toBe(false);
  });

  it("refuses a tree that is too large to be checked in memory", async () => {
    const tree = Buffer.alloc(33 * mebibyte);
    const sent = rawPack(format, [{ type: "tree", data: tree }]);
    expect(await take(format, sent)).toMatchObject({ reason: { kind: "object-too-large" } });
    const base = Buffer.from("100644 a\0".padEnd(29, "x"));
    const steps = Array.from({ length: 2 ** 21 }, () => ({ from: 0, size: 17 }));
    const grown = delta(base.length, 17 * 2 ** 21, steps);
    const viaDelta = rawPack(format, [
      { type: "tree", data: base },
      { data: grown, ofs: 0 },
    ]);
    expect((await take(format, viaDelta)).ok).toBe(false);
  });

  it("drops and makes again what does not fit in memory on the way down", async () => {
    const size = 20 * mebibyte;
    const bytes = (at: number) => Buffer.from(`version ${at} `);
    const versions = [Buffer.alloc(size, "0123456789")];
    const entries: { data: Buffer; ofs?: number }[] = [{ data: versions[0] as Buffer }];
    // A chain of seven, and on each of them a second delta that is resolved after the deeper ones.
    for (let at = 1; at < 8; at++) {
      const before = versions[at - 1] as Buffer;
      const data = Buffer.concat([bytes(at), before.subarray(0, size)]);
      versions.push(data);
      const steps = [bytes(at), ...copyAll(size)];
      entries.push({ data: delta(before.length, data.length, steps), ofs: at - 1 });
    }
    for (let at = 0; at < 7; at++) {
      const before = versions[at] as Buffer;
      entries.push({ data: delta(before.length, 30 + at, [{ from: 0, size: 30 + at }]), ofs: at });
    }
    const pack = await taken(format, rawPack(format, entries));
    for (const [at, data] of versions.entries()) {
      expect(pack.has(idOf("blob", data)), `version ${at}`).toBe(true);
      if (at < 7) expect(pack.has(idOf("blob", data.subarray(0, 30 + at)))).toBe(true);
    }
  });
});

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
