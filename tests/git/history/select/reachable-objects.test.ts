import { describe, expect, it } from "vitest";
import type { ObjectFormat, ObjectId } from "#core/git/format/object-format";
import { ReachableObjects } from "#core/git/history/select/reachable-objects";
import { type PackSet, type Place, placeOf } from "#core/git/pack/pack-set";
import { git } from "#tests/git/pack/real-git";
import { createRandom } from "#tests/support/random";
import { makeWorld } from "./selection-suite.ts";

/** The set, with a count of the objects read. */
function counted(packs: PackSet): { packs: PackSet; reads(): number } {
  let reads = 0;
  const own = Object.assign(Object.create(packs) as PackSet, {
    readCached(place: Place) {
      reads += 1;
      return packs.readCached(place);
    },
    read: (place: Place) => packs.read(place),
  });
  return { packs: own, reads: () => reads };
}

/** Every object once, as `find` names it. */
const allPlaces = (packs: PackSet): Place[] => {
  const places = packs.packs.flatMap(({ side }, pack) =>
    Array.from(
      { length: side.count },
      (_, position) => packs.find(packs.idOf(placeOf(pack, position))) as Place,
    ),
  );
  return [...new Set(places)];
};

describe.each(["sha1", "sha256"] satisfies ObjectFormat[])("ReachableObjects (%s)", (format) => {
  const random = createRandom();

  it(`tells what git's rev-list tells, whatever is asked in what order (SEED=${random.seed})`, async () => {
    const { folder, packs, refs } = await makeWorld(format, random);
    const tips = refs.filter(() => random.chance(0.2)).map(({ id }) => id);
    const listed = await git(
      folder,
      ["rev-list", "--objects", "--no-object-names", "--stdin"],
      tips.join("\n"),
    );
    const expected = new Set<ObjectId>(tips.length === 0 ? [] : listed.toString().trim().split("\n"));
    const every = allPlaces(packs);
    const set = counted(packs);
    const walk = new ReachableObjects(set.packs, tips);
    const ask = async (wanted: readonly Place[]) => {
      const { places, isCertain } = await walk.findUnreached(set.packs, wanted, { most: 1e9 });
      expect(isCertain).toBe(true);
      expect([...places].sort()).toEqual(wanted.filter((place) => !expected.has(packs.idOf(place))).sort());
    };
    for (let round = 0; round < 20; round++) {
      await Promise.all([ask(random.some(every, 5)), ask(random.some(every, 40))]);
    }
    await ask(every);
    const kinds = every.filter((place) => expected.has(packs.idOf(place)) && packs.typeOf(place) !== "blob");
    expect(set.reads()).toBeLessThanOrEqual(kinds.length);
  });

  it("reads no trees for commits, and says when its bound came first", async () => {
    const { packs, refs } = await makeWorld(format, random);
    const branches = refs.filter(({ name }) => name.startsWith("refs/heads/")).map(({ id }) => id);
    const places = branches.map((id) => packs.find(id) as Place);
    const set = counted(packs);
    const walk = new ReachableObjects(set.packs, branches);
    expect((await walk.findUnreached(set.packs, places, { most: 1e9 })).places.size).toBe(0);
    expect(set.reads()).toBeLessThanOrEqual(places.length);
    const other = new ReachableObjects(packs, branches);
    expect(await other.findUnreached(packs, allPlaces(packs), { most: 0 })).toMatchObject({
      isCertain: false,
    });
    expect((await other.findUnreached(packs, places, { most: 1e9 })).places.size).toBe(0);
  });

  it("stops for a client that left, and goes on for the next", async () => {
    const { packs, refs } = await makeWorld(format, random);
    const walk = new ReachableObjects(
      packs,
      refs.map(({ id }) => id),
    );
    const every = allPlaces(packs);
    const leaving = new AbortController();
    const stopped = walk.findUnreached(packs, every, { most: 1e9, signal: leaving.signal });
    leaving.abort(new Error("gone"));
    await expect(stopped).rejects.toThrow("gone");
    expect((await walk.findUnreached(packs, every, { most: 1e9 })).places.size).toBe(0);
  });
});
