import { afterEach, describe, expect, it, vi } from "vitest";
import { manySteps, Pacer } from "#core/concurrency/pacer";
import { objectIdOf } from "#core/git/format/object-format";
import type { GitObject } from "#core/git/format/object-type";
import { History } from "#core/git/history/history";
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
});
