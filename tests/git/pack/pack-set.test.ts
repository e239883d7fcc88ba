import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import type { ObjectFormat } from "#core/git/format/object-format";
import { createPack } from "#core/git/pack/create-pack";
import { PackCaches } from "#core/git/pack/pack-caches";
import { openPackSet } from "#core/git/pack/pack-set";
import { SideFile } from "#core/git/pack/side-file";
import { MemoryPackFiles } from "#tests/git/memory/pack-files";
import { taken } from "../ingest/taken.ts";
import { describePackSets } from "./pack-set-suite.ts";

describePackSets(["sha1"]);

describe("PackSet over packs of many blocks", () => {
  it("reads objects that lie across blocks, joining neighbors into ranges", async () => {
    const objects = Array.from({ length: 40 }, (_, at) => ({
      type: "blob" as const,
      data: at === 7 ? randomBytes(6_000_000) : randomBytes(200_000 + at),
    }));
    const { pack, side, ids, objectCount } = createPack("sha1", objects);
    const files = new MemoryPackFiles();
    const packs = await openPackSet(files, "sha1", [files.put(pack, side, objectCount)], new PackCaches());
    const before = files.requests;
    const read = await packs.readMany(ids.map((id) => packs.find(id) as number));
    for (const [at, object] of read.entries())
      expect(object.data.equals(objects[at]?.data as Buffer)).toBe(true);
    // 14 MB in ranges of up to 8 MiB, and the large one for itself.
    expect(files.requests - before).toBeLessThanOrEqual(5);
    const straddling = await packs.read(ids[30] as string);
    expect(straddling.data.equals(objects[30]?.data as Buffer)).toBe(true);
  });
});

describe("PackSet.stream", () => {
  it("gives a large blob in pieces, and a small object whole", async () => {
    const large = Buffer.alloc(5_000_000, "no end of lines\n");
    const small = Buffer.from("small");
    const { pack, side, ids, objectCount } = createPack("sha1", [
      { type: "blob", data: large },
      { type: "blob", data: small },
    ]);
    const files = new MemoryPackFiles();
    const packs = await openPackSet(files, "sha1", [files.put(pack, side, objectCount)], new PackCaches());
    for (const [at, data] of [large, small].entries()) {
      const pieces: Buffer[] = [];
      for await (const piece of packs.stream(packs.find(ids[at] as string) as number)) pieces.push(piece);
      expect(Buffer.concat(pieces).equals(data)).toBe(true);
    }
  });
});

describe.each<ObjectFormat>(["sha1", "sha256"])("createPack of %s objects", (format) => {
  it("makes what git reads, each object once", async () => {
    const blob = { type: "blob" as const, data: Buffer.from("content\n") };
    const created = createPack(format, [blob, { type: "blob", data: Buffer.alloc(0) }, blob]);
    expect(created.objectCount).toBe(2);
    expect(created.ids).toHaveLength(3);
    expect(created.ids[0]).toBe(created.ids[2]);
    const again = await taken(format, created.pack);
    expect(again.side.equals(created.side)).toBe(true);
    expect((await readFile(again.packPath)).equals(created.pack)).toBe(true);
    expect(new SideFile(created.side).count).toBe(2);
  });
});
