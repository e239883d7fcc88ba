import { randomUUID } from "node:crypto";
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { ObjectId } from "../../format/object-format.ts";
import type { PackSet, Place } from "../../pack/pack-set.ts";
import type { GitRepository } from "../../repository.ts";
import { largeObjectBytes } from "../ingest-limits.ts";
import type { DeltaBase, FiledObject } from "../ingest-types.ts";

/** How many bytes of bases are in memory at a time, whatever the push asks for. */
const heldBytes = 16 * 2 ** 20;

/**
 * Gives the bases of a thin pack from the repository, as many at a time as memory has room for; large ones as files in
 * `folder`, which is removed with the push.
 */
export function thinBases(repository: Pick<GitRepository, "packs">, folder: string) {
  return async (ids: ObjectId[]): Promise<ReadonlyMap<ObjectId, DeltaBase>> => {
    const packs = await repository.packs();
    const places = firstPlaces(packs, ids);
    const [first] = places;
    if (first !== undefined && packs.sizeOf(first) > largeObjectBytes) {
      return new Map([[packs.idOf(first), await fileOf(packs, first, folder)]]);
    }
    const objects = await packs.readMany(places);
    return new Map(objects.map((object, index) => [packs.idOf(places[index] as Place), object]));
  };
}

/**
 * The places of the first objects: up to one that is missing, that is large and not the first, or that finds no room.
 */
function firstPlaces(packs: PackSet, ids: readonly ObjectId[]): Place[] {
  const places: Place[] = [];
  let bytes = 0;
  for (const id of ids) {
    const place = packs.find(id);
    if (place === undefined) break;
    bytes += packs.sizeOf(place);
    if (places.length > 0 && bytes > heldBytes) break;
    places.push(place);
    if (bytes > largeObjectBytes) break;
  }
  return places;
}

async function fileOf(packs: PackSet, place: Place, folder: string): Promise<FiledObject> {
  const path = join(folder, `base-${randomUUID()}`);
  const file = await open(path, "wx", 0o600);
  try {
    for await (const piece of packs.stream(place)) await file.writeFile(piece);
  } finally {
    await file.close();
  }
  return { type: packs.typeOf(place), path };
}
