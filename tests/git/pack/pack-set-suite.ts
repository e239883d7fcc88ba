import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { ObjectFormat } from "#core/git/format/object-format";
import { PackCaches } from "#core/git/pack/pack-caches";
import { packKey, sideKey } from "#core/git/pack/pack-files";
import { openPackSet, PackSet } from "#core/git/pack/pack-set";
import type { SideFile } from "#core/git/pack/side-file";
import { MemoryPackFiles } from "#tests/git/memory/pack-files";
import { generateRepository } from "#tests/support/git/git-generator";
import { createRandom } from "#tests/support/random";
import { taken } from "../ingest/taken.ts";
import { git, gitText, packOfRevisions, temporaryFolder } from "./real-git.ts";

const everyObject = async (repository: string): Promise<string[]> => {
  const list = await gitText(repository, ["rev-list", "--objects", "--no-object-names", "main"]);
  return list.split("\n");
};

/** Packs that git made, read as it reads them. */
export function describePackSets(formats: readonly ObjectFormat[]): void {
  describe.each(formats)("PackSet of %s packs", (format) => {
    let repository: string;
    let ids: string[];
    const files = new MemoryPackFiles();
    const entries: Awaited<ReturnType<MemoryPackFiles["store"]>>[] = [];

    beforeAll(async () => {
      repository = join(await temporaryFolder("file"), "generated");
      await generateRepository({ folder: repository, objects: 1200, format });
      ids = await everyObject(repository);
      const temporary = await temporaryFolder("file");
      for (const range of [["main~200"], ["main~100", "^main~200"], ["main", "^main~100"]]) {
        const pack = await taken(format, await packOfRevisions(repository, range), {
          temporaryFolder: temporary,
        });
        entries.push(await files.store(pack));
        await pack.dispose();
      }
    });

    const opened = (bounds = {}) => openPackSet(files, format, entries, new PackCaches(bounds));

    it("finds and reads every object as git does, one by one and all at once", async () => {
      const real = await git(repository, ["cat-file", "--batch"], `${ids.join("\n")}\n`);
      const packs = await opened();
      const places = ids.map((id) => packs.find(id) as number);
      const many = await packs.readMany(places);
      const parts: Buffer[] = [];
      for (const [at, id] of ids.entries()) {
        const object = await packs.read(id);
        expect(many[at]?.data.equals(object.data)).toBe(true);
        expect(packs.find(Buffer.from(id, "hex"))).toBe(places[at]);
        expect(packs.idOf(places[at] as number)).toBe(id);
        expect([packs.typeOf(places[at] as number), packs.sizeOf(places[at] as number)]).toEqual([
          object.type,
          object.data.length,
        ]);
        parts.push(
          Buffer.from(`${id} ${object.type} ${object.data.length}\n`),
          object.data,
          Buffer.from("\n"),
        );
      }
      expect(Buffer.concat(parts).equals(real)).toBe(true);
    });

    it("reads the same through caches that hold next to nothing, in any order", async () => {
      const random = createRandom();
      const packs = await opened({ blockBytes: 1, baseBytes: 1 });
      const roomy = await opened();
      for (let round = 0; round < 30; round++) {
        const places = random.some(ids, 20).map((id) => packs.find(id) as number);
        const objects = await packs.readMany(places);
        for (const [at, place] of places.entries()) {
          expect(packs.readCached(place), "nothing is in memory").toBeUndefined();
          const same = await roomy.read(place);
          expect(objects[at]?.data.equals(same.data), `seed ${random.seed}`).toBe(true);
        }
      }
    });

    it("reads without waiting once the blocks are in memory", async () => {
      const packs = await opened();
      const places = ids.map((id) => packs.find(id) as number);
      expect(packs.readCached(places[0] as number)).toBeUndefined();
      await packs.readMany(places);
      for (const place of places) expect(packs.readCached(place)?.data.length).toBe(packs.sizeOf(place));
    });

    it("asks the store once for what is wanted twice, and for neighbors together", async () => {
      const packs = await opened();
      const before = files.requests;
      const places = ids.map((id) => packs.find(id) as number);
      await Promise.all([packs.readMany(places), packs.readMany(places), packs.read(places[7] as number)]);
      expect(files.requests - before, "each pack is one block").toBe(entries.length);
      const after = files.requests;
      await packs.readMany(places);
      expect(files.requests).toBe(after);
    });

    it("streams what is in memory, and keeps a pack of one block that it streams from", async () => {
      const [pack] = (await opened()).packs;
      const before = files.requests;
      const streamed = async (start: number, end: number) => {
        const pieces: Uint8Array[] = [];
        for await (const piece of pack?.blocks.stream({ start, end }) ?? []) pieces.push(piece);
        return Buffer.concat(pieces);
      };
      const whole = await streamed(0, pack?.entry.packBytes ?? 0);
      expect((await streamed(12, 500)).equals(whole.subarray(12, 500))).toBe(true);
      expect(files.requests - before).toBe(1);
      expect(files.objects.get(`${pack?.entry.key}.pack`)?.equals(whole)).toBe(true);
    });

    it("loads a side file once per process", async () => {
      const caches = new PackCaches();
      const before = files.requests;
      await Promise.all([1, 2, 3].map(() => openPackSet(files, format, entries, caches)));
      await openPackSet(files, format, entries, caches);
      expect(files.requests - before).toBe(entries.length);
    });

    it("finds nothing for absent and foreign ids", async () => {
      const packs = await opened();
      expect(packs.find("ab".repeat((ids[0] as string).length / 2))).toBeUndefined();
      expect(packs.find("ab")).toBeUndefined();
      expect(packs.has("")).toBe(false);
      await expect(packs.read("00".repeat((ids[0] as string).length / 2))).rejects.toThrow(
        "not in this repository",
      );
    });

    it("prefers the original to a base that was appended to a thin pack", async () => {
      const packs = await opened();
      const thin = await packOfRevisions(repository, ["main", "^main~100"], ["--thin", "--no-reuse-delta"]);
      const pack = await taken(format, thin, {
        findBases: async (wanted) =>
          new Map(await Promise.all(wanted.map(async (id) => [id, await packs.read(id)] as const))),
      });
      expect(pack.appendedCount).toBeGreaterThan(0);
      const completed = await openPackSet(files, format, [await files.store(pack)], new PackCaches());
      const both = new PackSet(format, [...packs.packs, ...completed.packs]);
      const { sideFile } = pack;
      const appended = sideFile.order.slice(-pack.appendedCount);
      for (const position of appended) {
        expect(both.find(sideFile.idAt(position))).toBe(packs.find(sideFile.idAt(position)));
      }
      const tip = await gitText(repository, ["rev-parse", "main"]);
      expect(both.find(tip)).not.toBe(packs.find(tip));
      expect((await both.read(tip)).data.equals((await packs.read(tip)).data)).toBe(true);
    });

    it("says which object is damaged", async () => {
      const broken = new MemoryPackFiles();
      for (const [key, bytes] of files.objects) broken.objects.set(key, Buffer.from(bytes));
      const [first] = entries;
      if (first === undefined) throw new Error("no pack");
      const packs = await openPackSet(broken, format, [first], new PackCaches());
      const side = packs.packs[0]?.side as SideFile;
      const position = side.order[3] as number;
      broken.objects
        .get(packKey(first))
        ?.fill(0xff, side.offsetAt(position) + 4, side.offsetAt(position) + 12);
      await expect(packs.read(side.idAt(position).toString("hex"))).rejects.toThrow(
        `object ${side.idAt(position).toString("hex")}`,
      );
    });

    it("refuses a side file that is damaged or another pack's", async () => {
      const [first, second] = entries;
      if (first === undefined || second === undefined) throw new Error("no packs");
      const broken = new MemoryPackFiles();
      for (const [key, bytes] of files.objects) broken.objects.set(key, Buffer.from(bytes));
      const side = broken.objects.get(sideKey(first)) as Buffer;
      side[side.length - 100] = (side[side.length - 100] as number) ^ 1;
      await expect(openPackSet(broken, format, [first], new PackCaches())).rejects.toThrow("checksum");
      broken.objects.set(sideKey(first), files.objects.get(sideKey(second)) as Buffer);
      await expect(openPackSet(broken, format, [first], new PackCaches())).rejects.toThrow("another pack");
    });
  });
}
