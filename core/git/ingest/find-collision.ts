import { createHash } from "node:crypto";
import { Pacer } from "../../concurrency/pacer.ts";
import type { ObjectId } from "../format/object-format.ts";
import type { GitObject } from "../format/object-type.ts";
import type { NewPack } from "../pack/new-pack.ts";
import { type PackSet, type Place, packOfPlace, placeOf, positionOfPlace } from "../pack/pack-set.ts";
import { SideFile } from "../pack/side-file.ts";

/** Stored objects that are compared at a time, and their bytes. */
const batchObjects = 4096;
const batchBytes = 8 * 2 ** 20;
/** Objects above this size are compared by a digest, in pieces. */
const streamedBytes = 16 * 2 ** 20;

/**
 * An object of a new pack that `known` holds with other content under the same id; undefined when there is none. Kinds
 * and sizes are compared in both formats; bytes in SHA-1, in which two contents can be made to share an id
 * (docs/decisions/0005-sha1-collisions.md).
 */
export async function findCollision(pack: NewPack, known: PackSet): Promise<ObjectId | undefined> {
  const side = new SideFile(pack.side);
  const pacer = new Pacer();
  let batch: Shared[] = [];
  let bytes = 0;
  for (const shared of sharedObjects(side, known)) {
    if (pacer.isDue()) await pacer.pause();
    if (!isAlike(side, known, shared)) return side.idAt(shared.position).toString("hex");
    if (known.format !== "sha1") continue;
    const size = side.sizeAt(shared.position);
    if (batch.length > 0 && (bytes + size > batchBytes || batch.length === batchObjects)) {
      const different = await findDifferent(pack, side, known, batch);
      if (different !== undefined) return different;
      batch = [];
      bytes = 0;
    }
    batch.push(shared);
    bytes += size;
  }
  return batch.length === 0 ? undefined : findDifferent(pack, side, known, batch);
}

/** One object: its position in the new pack, and its place among the known ones. */
interface Shared {
  readonly position: number;
  readonly place: Place;
}

/**
 * Objects that both hold, as often as `known` holds each, in the order of its storage. Bases appended to a thin pack
 * are copies and don't count.
 */
function* sharedObjects(side: SideFile, known: PackSet): Generator<Shared> {
  for (const [number, { side: other }] of known.packs.entries()) {
    for (const theirs of candidates(side, other)) {
      const position = side.find(other.idAt(theirs));
      if (position < 0 || side.isAppendedAt(position) || other.isAppendedAt(theirs)) continue;
      yield { position, place: placeOf(number, theirs) };
    }
  }
}

/** Positions in `other` that may be shared, found from the side with far fewer objects. */
function candidates(side: SideFile, other: SideFile): Iterable<number> {
  if (side.count * 8 > other.count) return other.order;
  const found: number[] = [];
  for (let position = 0; position < side.count; position++) {
    const theirs = other.find(side.idAt(position));
    if (theirs >= 0) found.push(theirs);
  }
  return found.sort((left, right) => other.offsetAt(left) - other.offsetAt(right));
}

function isAlike(side: SideFile, known: PackSet, { position, place }: Shared): boolean {
  const other = known.packs[packOfPlace(place)]?.side as SideFile;
  const at = positionOfPlace(place);
  return side.typeCodeAt(position) === other.typeCodeAt(at) && side.sizeAt(position) === other.sizeAt(at);
}

async function findDifferent(
  pack: NewPack,
  side: SideFile,
  known: PackSet,
  batch: readonly Shared[],
): Promise<ObjectId | undefined> {
  const idOf = ({ position }: Shared) => side.idAt(position).toString("hex");
  const [first] = batch;
  if (batch.length === 1 && first !== undefined && side.sizeAt(first.position) > streamedBytes) {
    return (await isSameStream(pack, idOf(first), known, first.place)) ? undefined : idOf(first);
  }
  const pacer = new Pacer();
  const stored = await known.readMany(batch.map(({ place }) => place));
  for (const [number, shared] of batch.entries()) {
    if (pacer.isDue()) await pacer.pause();
    const own = await pack.read(idOf(shared));
    if (own?.data.equals((stored[number] as GitObject).data) !== true) return idOf(shared);
  }
  return undefined;
}

/** Compares SHA-256 hashes, so that neither has to be in memory. */
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
