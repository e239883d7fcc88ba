import { beforeAll, describe, expect, it } from "vitest";
import type { ObjectFormat, ObjectId } from "#core/git/format/object-format";
import { selectObjects } from "#core/git/history/select/select-objects";
import type { PackSet } from "#core/git/pack/pack-set";
import { type RefEntry, RefTable } from "#core/git/refs/ref-table";
import { ingestedPacks } from "#tests/git/memory/pack-sets";
import { bareRepository, git, gitText, type KeptFor, packOfRevisions } from "#tests/git/pack/real-git";
import { createRandom } from "#tests/support/random";
import { writeRandomHistory } from "./random-history.ts";

export interface World {
  readonly folder: string;
  readonly packs: PackSet;
  /** Names and ids of all refs. */
  readonly refs: readonly { name: string; id: ObjectId; peeled?: ObjectId }[];
}

/** A random history, stored as it came in three pushes. */
export async function makeWorld(
  format: ObjectFormat,
  random: ReturnType<typeof createRandom>,
  { commits = 30, keptFor }: { readonly commits?: number; readonly keptFor?: KeptFor } = {},
): Promise<World> {
  const folder = await bareRepository(format, keptFor);
  await writeRandomHistory(folder, random, commits);
  const packs = await ingestedPacks(format, [
    await packOfRevisions(folder, ["c10"]),
    await packOfRevisions(folder, ["c20", "^c10"]),
    await packOfRevisions(folder, ["^c10", "^c20"], ["--all"]),
  ]);
  const lines = await gitText(folder, ["for-each-ref", "--format=%(refname) %(objectname) %(*objectname)"]);
  const named = lines.split("\n").map((line) => line.split(" "));
  const tags = named.filter(([, , peeled = ""]) => peeled !== "").map(([, id = ""]) => id);
  // Tags of tags, too.
  const leadTo = await gitText(folder, ["rev-parse", ...tags.map((id) => `${id}^{}`)]);
  const peeledOf = new Map(leadTo.split("\n").map((peeled, at) => [tags[at], peeled]));
  const refs = named.map(([name = "", id = ""]) => {
    const peeled = peeledOf.get(id);
    return peeled === undefined ? { name, id } : { name, id, peeled };
  });
  return { folder, packs, refs };
}

/** What git says leads from some objects and not from others; with boundaries walked completely. */
async function reachable(folder: string, tips: readonly ObjectId[]): Promise<Set<ObjectId>> {
  if (tips.length === 0) return new Set();
  const listed = await git(
    folder,
    ["rev-list", "--objects", "--no-object-names", "--stdin"],
    tips.join("\n"),
  );
  return new Set(listed.toString().trim().split("\n"));
}

const idsOf = (packs: PackSet, places: Iterable<number>) =>
  new Set([...places].map((place) => packs.idOf(place)));

/** Compares what is selected of a random history with what git says. */
export function testSelection(format: ObjectFormat, { commits = 30 } = {}): void {
  describe(`selectObjects over random histories (${format})`, () => {
    const random = createRandom();
    let world: World;
    beforeAll(async () => {
      world = await makeWorld(format, random, { commits, keptFor: "file" });
    });

    it(`sends what the other side lacks and hardly more (SEED=${random.seed})`, async () => {
      const { folder, packs, refs } = world;
      let ours = 0;
      let gits = 0;
      for (let round = 0; round < 25; round++) {
        const wants = random.some(refs, 4).map(({ id }) => id);
        const haves = random.chance(0.2) ? [] : random.some(refs, 4).map(({ id }) => id);
        const { chosen, bases } = await selectObjects({ packs, wants, haves });
        const sent = idsOf(packs, chosen);
        const wanted = await reachable(folder, wants);
        const there = await reachable(folder, haves);
        const missing = [...wanted].filter((id) => !there.has(id));
        expect(missing.filter((id) => !sent.has(id))).toEqual([]);
        expect([...sent].filter((id) => !wanted.has(id))).toEqual([]);
        if (haves.length === 0) expect(sent.size).toBe(wanted.size);
        // A delta may rest on what the other side has; among what is sent two could rest on each other.
        expect([...idsOf(packs, bases)].filter((id) => !there.has(id))).toEqual([]);
        ours += sent.size;
        gits += (await reachable(folder, [...wants, ...haves.map((id) => `^${id}`)])).size;
      }
      expect(ours).toBeLessThanOrEqual(gits * 1.15 + 20);
    });

    it(`adds exactly the tags of the commits it sends (SEED=${random.seed})`, async () => {
      const { packs, refs } = world;
      const entries: RefEntry[] = refs.map((ref) => ({ ...ref, pusherId: 1, updatedMs: 0 }));
      const tagsOf = RefTable.empty.with(entries.map((entry) => ({ name: entry.name, entry })));
      const branches = refs.filter(({ name }) => name.startsWith("refs/heads/"));
      const wants = branches.slice(-2).map(({ id }) => id);
      const haves = branches.slice(4, 6).map(({ id }) => id);
      const plain = await selectObjects({ packs, wants, haves });
      const { chosen } = await selectObjects({ packs, wants, haves, tagsOf });
      const added = [...idsOf(packs, chosen)].filter((id) => !idsOf(packs, plain.chosen).has(id));
      const expected = refs.filter(
        ({ peeled }) => peeled !== undefined && idsOf(packs, plain.chosen).has(peeled),
      );
      expect(expected.map(({ id }) => id).filter((id) => !added.includes(id))).toEqual([]);
      for (const id of added) expect(packs.typeOf(packs.find(id) as number)).toBe("tag");
    });

    it("stops when its caller has left", async () => {
      const { packs, refs } = world;
      const leaving = new AbortController();
      leaving.abort(new Error("gone"));
      const select = () =>
        selectObjects({ packs, wants: refs.map(({ id }) => id), haves: [], signal: leaving.signal });
      await expect(select()).rejects.toThrow("gone");
    });
  });
}
