import { describe, expect, it } from "vitest";
import { pageOfLargest, type SizedSource } from "#core/quota/largest";
import { largestFirst, sizedThingKey, usageKey } from "#core/quota/quota.table";
import { usageWrites } from "#core/quota/usage";
import { cardKey } from "#core/repository/repository.table";
import { exists } from "#core/table/condition";
import { update } from "#core/table/write";

describe("writes of usage (QM-1)", () => {
  it("change the card of the repository and the totals of its owner, an item each", () => {
    const holder = { ownerId: 3, repositoryId: 20 };
    const writes = usageWrites([
      { ...holder, name: "lfs", bytes: 5 },
      { ...holder, name: "lfs", bytes: 7 },
      { ...holder, name: "artifacts", bytes: 11, things: 1 },
    ]);
    const add = { lfsBytes: 12, artifactBytes: 11, artifacts: 1, v: 1 };
    expect(writes).toEqual([
      update(cardKey(3, 20), { add }, exists),
      update(usageKey(3, 4), { add: { lfs: 12, artifacts: 11, changes: 1 }, setOnce: { _v: 1 } }),
    ]);
  });

  it("move a package from its owner to a repository of another", () => {
    const writes = usageWrites([
      { ownerId: 3, packageId: 4, name: "packages", bytes: -9 },
      { ownerId: 8, repositoryId: 4, name: "packages", bytes: 9 },
    ]);
    expect(writes).toEqual([
      update(cardKey(8, 4), { add: { packageBytes: 9, v: 1 } }, exists),
      update(usageKey(3, 4), { add: { packages: -9, changes: 1 }, setOnce: { _v: 1 } }),
      update(usageKey(8, 4), { add: { packages: 9, changes: 1 }, setOnce: { _v: 1 } }),
    ]);
  });
});

describe("lists by size (semantics §18.4)", () => {
  it("sort the larger before the smaller, whatever the sizes", () => {
    const sizes = [0, 1, 9, 10, 2 ** 31, 2 ** 53 - 1];
    expect(sizes.map(largestFirst).sort().reverse()).toEqual(sizes.map(largestFirst));
    const key = (id: number, sizeBytes: number) => sizedThingKey(1, "artifacts", { id, sizeBytes }).sk;
    expect([key(2, 5), key(10, 5), key(1, 4)].sort()).toEqual([key(2, 5), key(10, 5), key(1, 4)]);
  });

  it("merge the things of many repositories, and read only those that can have one on the page", async () => {
    let reads = 0;
    const source = (at: number): SizedSource<{ id: number; sizeBytes: number }> => {
      const all = [0, 1, 2].map((nth) => ({ id: at * 3 + nth, sizeBytes: at * 10 + 2 - nth }));
      return {
        bytes: all.reduce((sum, one) => sum + one.sizeBytes, 0),
        things: all.length,
        largest: async (most) => {
          reads += 1;
          return all.slice(0, most);
        },
      };
    };
    const sources = Array.from({ length: 200 }, (_, at) => source(at));
    const sizesOf = async (page: number) => {
      const { items, total } = await pageOfLargest(sources, { page, limit: 7 });
      expect(total).toBe(600);
      return items.map(({ sizeBytes }) => sizeBytes);
    };
    expect(await sizesOf(1)).toEqual([1992, 1991, 1990, 1982, 1981, 1980, 1972]);
    expect(await sizesOf(86)).toEqual([11, 10, 2, 1, 0]);
    reads = 0;
    const flat = sources.map((one, at) => ({ ...one, bytes: at < 5 ? 100_000 : 1 }));
    const big = { id: 0, sizeBytes: 50 };
    await pageOfLargest([{ bytes: 50, things: 1, largest: async () => [big] }, ...flat], {
      page: 1,
      limit: 1,
    });
    expect(reads).toBeLessThanOrEqual(16);
  });
});
