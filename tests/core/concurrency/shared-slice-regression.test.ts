import { afterEach, describe, expect, it, vi } from "vitest";
import { manySteps, Pacer } from "#core/concurrency/pacer";
import { objectIdOf } from "#core/git/format/object-format";
import type { GitObject } from "#core/git/format/object-type";
import { History } from "#core/git/history/history";
import { createPack } from "#core/git/pack/create-pack";
import { PackCaches } from "#core/git/pack/pack-caches";
import { openPackSet } from "#core/git/pack/pack-set";
import { MemoryPackFiles } from "#tests/git/memory/pack-files";
import { packsOf } from "#tests/git/memory/pack-sets";

afterEach(() => vi.restoreAllMocks());

/** A clock that this test moves on. */
function clock(): { ms: number } {
  const at = { ms: 0 };
  vi.spyOn(performance, "now").mockImplementation(() => at.ms);
  return at;
}

describe("the time slice after which paced work gives way", () => {
  it("is shared by all that goes on in one turn of the loop, and begins anew in the next", async () => {
    const now = clock();
    await new Promise((resolve) => setImmediate(resolve));
    const [one, other] = [new Pacer(), new Pacer()];
    expect([one.isDue(manySteps), other.isDue(manySteps)]).toEqual([false, false]);
    now.ms += 9;
    expect([one.isDue(manySteps), other.isDue(manySteps)]).toEqual([true, true]);
    expect(new Pacer().isDue(manySteps)).toBe(true);
    await other.pause();
    expect(other.isDue(manySteps)).toBe(false);
  });

  it("ends behind a single commit of a megabyte", async () => {
    const who = "A <a@x> 1700000000 +0000";
    const tree: GitObject = { type: "tree", data: Buffer.alloc(0) };
    const head = `tree ${objectIdOf("sha1", "tree", tree.data)}\nauthor ${who}\ncommitter ${who}\n\n`;
    const commit: GitObject = { type: "commit", data: Buffer.from(head + "m".repeat(2 ** 20)) };
    const history = new History(await packsOf("sha1", [tree, commit]));
    const id = objectIdOf("sha1", "commit", commit.data);
    await history.links(id); // its bytes are in memory from now on
    const now = clock();
    await new Promise((resolve) => setImmediate(resolve));
    expect(history.pace(manySteps)).toBeUndefined();
    expect(history.links(id)).not.toBeInstanceOf(Promise);
    now.ms += 9;
    expect(history.pace()).toBeInstanceOf(Promise);
    await history.pace();
  });

  it("is shared by many who waited for the same large object: one after the other makes it", async () => {
    const tree: GitObject = { type: "tree", data: Buffer.alloc(100_000) };
    const { pack, side, objectCount } = createPack("sha1", [tree]);
    const files = new MemoryPackFiles();
    const caches = new PackCaches({ baseBytes: 1 }); // so that nobody finds it made
    const set = await openPackSet(files, "sha1", [files.put(pack, side, objectCount)], caches);
    const now = clock();
    await new Promise((resolve) => setImmediate(resolve));
    let [turn, inTurn, most] = [0, 0, 0];
    const { allocUnsafe } = Buffer;
    vi.spyOn(Buffer, "allocUnsafe").mockImplementation((size) => {
      if (size > tree.data.length) {
        now.ms += 5;
        inTurn += 1;
        most = Math.max(most, inTurn);
      }
      return allocUnsafe(size);
    });
    const nextTurn = () => {
      [turn, inTurn] = [turn + 1, 0];
      if (turn < 100) setImmediate(nextTurn);
    };
    setImmediate(nextTurn);
    const id = objectIdOf("sha1", "tree", tree.data);
    const read = async (pacer: Pacer) =>
      set.read(id, (steps) => (pacer.isDue(steps) ? pacer.pause() : undefined));
    const objects = await Promise.all(Array.from({ length: 20 }, () => read(new Pacer())));
    expect(objects).toHaveLength(20);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(4);
  });
});
