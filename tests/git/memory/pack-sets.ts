import { tmpdir } from "node:os";
import type { ObjectFormat, ObjectId } from "#core/git/format/object-format";
import type { GitObject } from "#core/git/format/object-type";
import { createPack } from "#core/git/pack/create-pack";
import { PackCaches } from "#core/git/pack/pack-caches";
import { openPackSet, type PackSet } from "#core/git/pack/pack-set";
import { taken } from "#tests/git/ingest/taken";
import { packOfRevisions } from "#tests/git/pack/real-git";
import { MemoryPackFiles } from "./pack-files.ts";

/** Packs as though pushed one after another. */
export async function ingestedPacks(format: ObjectFormat, packs: readonly Buffer[]): Promise<PackSet> {
  const files = new MemoryPackFiles();
  const entries = [];
  for (const pack of packs) {
    const ingested = await taken(format, pack, { temporaryFolder: tmpdir() });
    entries.push(await files.store(ingested));
    await ingested.dispose();
  }
  return openPackSet(files, format, entries, new PackCaches());
}

/** All that the refs of a real repository lead to, as one pack. */
export const packsIn = async (folder: string, format: ObjectFormat): Promise<PackSet> =>
  ingestedPacks(format, [await packOfRevisions(folder, [], ["--all"])]);

/** A set of objects made by a test; also of such as git would refuse. */
export function packsOf(format: ObjectFormat, objects: readonly GitObject[]): Promise<PackSet> {
  const files = new MemoryPackFiles();
  const { pack, side, objectCount } = createPack(format, objects);
  return openPackSet(files, format, [files.put(pack, side, objectCount)], new PackCaches());
}

/** Objects under ids that are not theirs, as damage or malice could claim: a set where commits may form a cycle. */
export function claimedObjects(
  format: ObjectFormat,
  objects: ReadonlyMap<ObjectId, GitObject>,
  onRead: () => void = () => undefined,
): PackSet {
  const ids = [...objects.keys()];
  const places = new Map(ids.map((id, place) => [id, place]));
  const at = (place: number) => {
    onRead();
    return objects.get(ids[place] as ObjectId) as GitObject;
  };
  const find = (id: ObjectId | Uint8Array) =>
    places.get(typeof id === "string" ? id : Buffer.from(id).toString("hex"));
  const set = {
    ...{ format, packs: [], find, has: (id: ObjectId) => objects.has(id) },
    ...{
      readCached: at,
      read: async (place: number) => at(place),
      typeOf: (place: number) => at(place).type,
    },
    readMany: async (places: readonly number[]) => places.map(at),
    idOf: (place: number) => ids[place],
  };
  return set as unknown as PackSet;
}
