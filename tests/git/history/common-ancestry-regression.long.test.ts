import { describe, expect, it } from "vitest";
import type { ObjectId } from "#core/git/format/object-format";
import type { GitObject } from "#core/git/format/object-type";
import { CommonAncestry } from "#core/git/history/common-ancestry";
import { makeCommit } from "#tests/git/store/made-objects";
import { createRandom } from "#tests/support/random";

/** Commits as a place to read from that counts. */
function makeHistory(parentsOf: readonly (readonly number[])[]) {
  const objects = new Map<ObjectId, GitObject>();
  const ids: ObjectId[] = [];
  for (const parents of parentsOf) {
    const made = makeCommit(
      "sha1",
      parents.map((parent) => ids[parent] as ObjectId),
    );
    for (const object of made.objects) if (object.type === "commit") objects.set(made.id, object);
    ids.push(made.id);
  }
  let reads = 0;
  const read = async (id: ObjectId) => {
    reads += 1;
    return objects.get(id);
  };
  return { ids, read, reads: () => reads };
}

const line = (length: number) => Array.from({ length }, (_, at) => (at === 0 ? [] : [at - 1]));

describe("CommonAncestry", () => {
  it("walks each commit once, however many rounds of haves a client sends", async () => {
    const length = 1_000;
    const { ids, read, reads } = makeHistory([...line(length), []]);
    // The second want has nothing in common with the first, so the answer stays "no".
    const ancestry = new CommonAncestry(read, [ids[length - 1] ?? "", ids[length] ?? ""]);
    for (const id of ids.slice(0, length - 1).reverse()) {
      ancestry.add(id);
      expect(await ancestry.isEverythingBased()).toBe(false);
    }
    expect(reads()).toBeLessThanOrEqual(3 * length);
  });

  it("stops looking past its bound, for good", async () => {
    const { ids, read, reads } = makeHistory(line(400));
    const ancestry = new CommonAncestry(read, [ids[399] ?? ""], { mostCommits: 100 });
    ancestry.add(ids[0] ?? "");
    expect(await ancestry.isEverythingBased()).toBe(false);
    const before = reads();
    ancestry.add(ids[1] ?? "");
    expect(await ancestry.isEverythingBased()).toBe(false);
    expect(reads()).toBe(before);
  });

  it("ends with the caller's signal", async () => {
    const { ids, read } = makeHistory(line(3));
    const gone = AbortSignal.abort(new Error("the client has left"));
    const ancestry = new CommonAncestry(read, [ids[2] ?? ""], { signal: gone });
    ancestry.add(ids[0] ?? "");
    await expect(ancestry.isEverythingBased()).rejects.toThrow("the client has left");
  });

  it("says yes exactly when each want has an ancestor among the haves", async () => {
    const random = createRandom();
    for (let round = 0; round < 40; round++) {
      const parents = Array.from({ length: 30 }, (_, at) =>
        at === 0 ? [] : [...new Set([random.integer(at), random.integer(at)])],
      );
      const { ids, read } = makeHistory(parents);
      const wants = [random.integer(30), random.integer(30)];
      const idsOf = (numbers: readonly number[]) => numbers.map((at) => ids[at] as ObjectId);
      const ancestry = new CommonAncestry(read, idsOf(wants));
      const haves = new Set<number>();
      const isBased = (at: number): boolean => haves.has(at) || (parents[at] ?? []).some(isBased);
      for (let step = 0; step < 6; step++) {
        const have = random.integer(30);
        haves.add(have);
        ancestry.add(ids[have] as ObjectId);
        const isBasedNow = await ancestry.isEverythingBased();
        expect(isBasedNow, `seed ${random.seed}, round ${round}`).toBe(wants.every(isBased));
      }
    }
  });
});
