import { createHash } from "node:crypto";
import type { ObjectId } from "./object/object-format.ts";
import type { GitObject } from "./object/object-type.ts";
import { Pacer } from "./pacer.ts";
import { type PackSet, type Place, packOfPlace, placeOf, positionOfPlace } from "./pack/pack-set.ts";
import { SideFile } from "./pack/side-file.ts";
import type { NewPack } from "./push.ts";

/** Bytes of stored objects that are compared at a time. */
const batchBytes = 8 * 2 ** 20;
/** Objects above this size are compared by a digest, in pieces. */
const streamedBytes = 16 * 2 ** 20;

/**
 * An object of a new pack that `known` holds with other content under the same id; undefined when there is none.
 * Kinds and sizes are compared in either format, bytes in SHA-1, where two contents can be made to share an id
 * (docs/decisions/0005-sha1-collisions.md).
 */
export async function findCollision(pack: NewPack, known: PackSet): Promise<ObjectId | undefined> {
  const side = new SideFile(pack.side);
  const pacer = new Pacer();
  const shared: [position: number, place: Place][] = [];
  for (const [position, place] of sharedObjects(side, known)) {
    if (pacer.isDue()) await pacer.pause();
    const other = known.packs[packOfPlace(place)]?.side as SideFile;
    const at = positionOfPlace(place);
    if (side.typeCodeAt(position) !== other.typeCodeAt(at) || side.sizeAt(position) !== other.sizeAt(at)) {
      return side.idAt(position).toString("hex");
    }
    shared.push([position, place]);
  }
  if (known.format !== "sha1") return undefined;
  return findDifferent(pack, side, known, shared, pacer);
}

/** What both hold, as often as `known` holds it. Bases that were appended to a thin pack are copies, not news. */
function* sharedObjects(side: SideFile, known: PackSet): Generator<[number, Place]> {
  for (const [number, { side: other }] of known.packs.entries()) {
    const [small, large] = side.count < other.count ? [side, other] : [other, side];
    for (let position = 0; position < small.count; position++) {
      const found = large.find(small.idAt(position));
      const [own, theirs] = small === side ? [position, found] : [found, position];
      if (found < 0 || side.isAppendedAt(own) || other.isAppendedAt(theirs)) continue;
      yield [own, placeOf(number, theirs)];
    }
  }
}

async function findDifferent(
  pack: NewPack,
  side: SideFile,
  known: PackSet,
  shared: readonly [number, Place][],
  pacer: Pacer,
): Promise<ObjectId | undefined> {
  for (let next = 0; next < shared.length; ) {
    const first = next;
    for (let bytes = 0; next < shared.length; next++) {
      bytes += side.sizeAt((shared[next] as [number, Place])[0]);
      if (next > first && bytes > batchBytes) break;
    }
    const batch = shared.slice(first, next);
    const isLarge = batch.length === 1 && side.sizeAt((batch[0] as [number, Place])[0]) > streamedBytes;
    const stored = isLarge ? [] : await known.readMany(batch.map(([, place]) => place));
    for (const [number, [position, place]] of batch.entries()) {
      if (pacer.isDue()) await pacer.pause();
      const id = side.idAt(position).toString("hex");
      const isSame = isLarge
        ? await isSameStream(pack, id, known, place)
        : (await pack.read(id))?.data.equals((stored[number] as GitObject).data);
      if (isSame !== true) return id;
    }
  }
  return undefined;
}

/** By SHA-256 of both, so that neither has to be in memory. */
async function isSameStream(pack: NewPack, id: ObjectId, known: PackSet, place: Place): Promise<boolean> {
  const digest = async (pieces: AsyncIterable<Uint8Array>) => {
    const hash = createHash("sha256");
    for await (const piece of pieces) hash.update(piece);
    return hash.digest("hex");
  };
  const own = pack.stream?.(id) ?? wholeObject(pack, id);
  return (await digest(own)) === (await digest(known.stream(place)));
}

async function* wholeObject(pack: NewPack, id: ObjectId): AsyncGenerator<Uint8Array> {
  const object = await pack.read(id);
  if (object !== undefined) yield object.data;
}
