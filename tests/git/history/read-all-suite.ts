import { beforeAll, describe, expect, it } from "vitest";
import { serializeCommit } from "#core/git/format/commit";
import { type ObjectFormat, type ObjectId, objectIdOf } from "#core/git/format/object-format";
import type { GitObject } from "#core/git/format/object-type";
import { directoryMode, fileMode, serializeTree } from "#core/git/format/tree";
import { CommitGraph } from "#core/git/history/commit-graph/commit-graph";
import { planGraph } from "#core/git/history/commit-graph/plan-graph";
import { History } from "#core/git/history/history";
import { createPack } from "#core/git/pack/create-pack";
import { type PackCacheBounds, PackCaches } from "#core/git/pack/pack-caches";
import type { PackEntry } from "#core/git/pack/pack-files";
import { openPackSet } from "#core/git/pack/pack-set";
import { MemoryPackFiles } from "#tests/git/memory/pack-files";
import { createRandom } from "#tests/support/random";

const commits = 110;
const blockBytes = 2 ** 20;

/** A line of commits, each with two trees and two blobs of up to 130 KB; trees lie anywhere among the blobs. */
function scatteredLine(format: ObjectFormat) {
  const random = createRandom();
  const [first, rest]: [GitObject[], GitObject[]] = [[], []];
  const ids: ObjectId[] = [];
  const add = (to: GitObject[], object: GitObject) => {
    to.splice(to === rest ? random.integer(rest.length + 1) : to.length, 0, object);
    return objectIdOf(format, object.type, object.data);
  };
  const noise = () => Buffer.from(Array.from({ length: 130_000 }, () => random.integer(256)));
  const [one, other] = [noise(), noise()];
  for (let number = 0; number < commits; number++) {
    const blob = (bytes: Buffer) => {
      const data = Buffer.concat([bytes.subarray(random.integer(60_000)), Buffer.from(`${number}`)]);
      return { mode: fileMode, path: "file", id: add(rest, { type: "blob", data }) };
    };
    const folder = add(rest, { type: "tree", data: serializeTree([blob(one)]) });
    const entries = [blob(other), { mode: directoryMode, path: "folder", id: folder }];
    const tree = add(rest, { type: "tree", data: serializeTree(entries) });
    const who = { name: "A", email: "a@example.org", seconds: 60 * number, timezone: "+0000" };
    const extra = { extraHeaders: [], message: Buffer.from(`${number}\n`) };
    const parents = ids.slice(-1);
    const data = serializeCommit({ tree, parents, author: who, committer: who, ...extra });
    ids.push(add(first, { type: "commit", data }));
  }
  return { objects: [...first.reverse(), ...rest], tip: ids.at(-1) as ObjectId, random };
}

/** Graphs that are made of packs whose trees lie among the blobs. */
export function describeReadAll(formats: readonly ObjectFormat[]): void {
  describe.each(formats)("all trees among the blobs of a %s pack", (format) => {
    const files = new MemoryPackFiles();
    let line: ReturnType<typeof scatteredLine>;
    let ids: ObjectId[];
    let entry: PackEntry;

    beforeAll(() => {
      line = scatteredLine(format);
      const { pack, side, objectCount, ids: all } = createPack(format, line.objects);
      ids = all;
      entry = files.put(pack, side, objectCount);
    });

    /** Makes a graph; what that asked of the store, and its commits. */
    async function plan(caches: PackCaches) {
      const packs = await openPackSet(files, format, [entry], caches);
      const before = { requests: files.requests, bytes: files.bytes };
      const history = new History(packs, { readsAll: true });
      const { commits: made } = await planGraph(history, CommitGraph.empty, [line.tip]);
      const entries = Array.from({ length: made.count }, (_, number) => made.at(number));
      return { entries, requests: files.requests - before.requests, bytes: files.bytes - before.bytes };
    }

    it("are read once, in large ranges, and kept without the blobs", async () => {
      const bounds = { blockBytes: 2 * blockBytes, linkBytes: blockBytes, baseBytes: 1 };
      const caches = new PackCaches(bounds);
      const cold = await plan(caches);
      expect(entry.packBytes).toBeGreaterThan(20 * blockBytes);
      expect(cold.entries).toHaveLength(commits);
      // What was fetched already lies between what was not.
      expect(cold.bytes).toBeLessThan(entry.packBytes + 8 * blockBytes);
      // 1, 2, 4 and 8 blocks at first.
      expect(cold.requests).toBeLessThanOrEqual(entry.packBytes / (8 * blockBytes) + 6);
      expect(caches.blockMemory).toBeLessThan(blockBytes / 4);
      const warm = await plan(caches);
      expect([warm.requests, warm.entries]).toEqual([0, cold.entries]);
    });

    it("are read again, a block at a time, where they do not fit in memory; the graph is the same", async () => {
      const roomy = await plan(new PackCaches());
      const caches = new PackCaches({ blockBytes: 1, linkBytes: 12_000, baseBytes: 1 });
      const narrow = await plan(caches);
      expect(narrow.entries).toEqual(roomy.entries);
      expect(narrow.requests).toBeGreaterThan(100);
      expect(narrow.bytes).toBeLessThan(entry.packBytes + narrow.requests * 2 * blockBytes);
      expect(caches.blockMemory).toBeLessThanOrEqual(12_000);
    });

    it.each<[string, Partial<PackCacheBounds>]>([
      ["roomy", {}],
      ["narrow", { blockBytes: 3 * blockBytes, linkBytes: blockBytes / 64, baseBytes: 1 }],
    ])(
      "leave every object readable, whatever is in memory of its block (%s caches)",
      async (_how, bounds) => {
        const packs = await openPackSet(files, format, [entry], new PackCaches(bounds));
        const history = new History(packs, { readsAll: true });
        for (let round = 0; round < 60; round++) {
          const at = line.random.integer(ids.length);
          const [id, object] = [ids[at] as ObjectId, line.objects[at] as GitObject];
          const isTree = object.type === "tree" && line.random.chance(0.8);
          const read = isTree ? await history.tree(id) : (await packs.read(id)).data;
          expect(read.equals(object.data), `SEED=${line.random.seed} ${object.type} ${id}`).toBe(true);
          const places = line.random.some(ids, 6).map((some) => packs.find(some) as number);
          for (const [number, one] of (await packs.readMany(places)).entries()) {
            const id = packs.idOf(places[number] as number);
            expect(one.data.equals((line.objects[ids.indexOf(id)] as GitObject).data)).toBe(true);
          }
        }
      },
    );
  });
}
