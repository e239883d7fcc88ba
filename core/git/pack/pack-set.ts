import { type ObjectFormat, type ObjectId, objectIdLength } from "../format/object-format.ts";
import { type GitObject, type ObjectType, typeOfCode } from "../format/object-type.ts";
import type { Pace } from "./entry-builder.ts";
import { type PackCaches, processPackCaches } from "./pack-caches.ts";
import type { PackEntry, PackFiles } from "./pack-files.ts";
import { PackReader } from "./pack-reader.ts";

/** The place of an object in a PackSet: a plain number, valid for that set alone. Good as a Map key. */
export type Place = number;

const positions = 2 ** 32;
/** Objects above this size are streamed rather than read whole. */
const streamedBytes = 2 ** 20;
/** `readMany` fetches this much of a pack at a time. */
const batchBytes = 16 * 2 ** 20;

/** Index in `packs` of the pack that holds a place. */
export const packOfPlace = (place: Place): number => Math.floor(place / positions);

/** Position of a place in its pack's side file. */
export const positionOfPlace = (place: Place): number => place % positions;

/** The place of a position in the pack with that index. */
export const placeOf = (pack: number, position: number): Place => pack * positions + position;

/**
 * All objects of some packs, as one. It rests on immutable files, so it stays valid while those are kept. Returned
 * content is shared with its caches: don't write to it.
 */
export class PackSet {
  readonly format: ObjectFormat;
  /** Oldest first, as given. */
  readonly packs: readonly PackReader[];

  constructor(format: ObjectFormat, packs: readonly PackReader[]) {
    this.format = format;
    this.packs = packs;
  }

  /**
   * Newest pack first; the original of an object comes before a base appended to a thin pack. Hexadecimal or binary id.
   */
  find(id: ObjectId | Uint8Array): Place | undefined {
    const binary = typeof id === "string" ? Buffer.from(id, "hex") : id;
    if (binary.length * 2 !== objectIdLength(this.format)) return undefined;
    let copy: Place | undefined;
    for (let pack = this.packs.length - 1; pack >= 0; pack--) {
      const { side } = this.packs[pack] as PackReader;
      const position = side.find(binary);
      if (position < 0) continue;
      if (!side.isAppendedAt(position)) return placeOf(pack, position);
      copy ??= placeOf(pack, position);
    }
    return copy;
  }

  /** True when one of the packs holds the object. */
  has(id: ObjectId | Uint8Array): boolean {
    const binary = typeof id === "string" ? Buffer.from(id, "hex") : id;
    if (binary.length * 2 !== objectIdLength(this.format)) return false;
    return this.packs.some(({ side }) => side.find(binary) >= 0);
  }

  private packOf(place: Place): PackReader {
    const pack = this.packs[packOfPlace(place)];
    if (pack === undefined) throw new Error(`no pack for place ${place}`);
    return pack;
  }

  /** The object's id: a view into the side file. */
  binaryIdOf(place: Place): Buffer {
    return this.packOf(place).side.idAt(positionOfPlace(place));
  }

  /** The object's id, hexadecimal. */
  idOf(place: Place): ObjectId {
    return this.binaryIdOf(place).toString("hex");
  }

  /** The object's kind, without reading it. */
  typeOf(place: Place): ObjectType {
    const type = typeOfCode(this.packOf(place).side.typeCodeAt(positionOfPlace(place)));
    if (type === undefined) throw new Error(`object ${this.idOf(place)} has no kind`);
    return type;
  }

  /** The object's inflated size, without reading it. */
  sizeOf(place: Place): number {
    return this.packOf(place).side.sizeAt(positionOfPlace(place));
  }

  /** Throws when an id is absent or the stored bytes are damaged, and what `pace`, which lets others run, throws. */
  async read(target: Place | ObjectId, pace?: Pace): Promise<GitObject> {
    const place = typeof target === "number" ? target : this.find(target);
    if (place === undefined) throw new Error(`object ${target} is not in this repository`);
    const cached = this.readCached(place);
    if (cached !== undefined) return cached;
    const [object] = await this.packOf(place).read([positionOfPlace(place)], pace);
    return object as GitObject;
  }

  /** The same for many, in their order, with neighboring ranges fetched together. All are held at once. */
  async readMany(places: readonly Place[], pace?: Pace): Promise<GitObject[]> {
    const objects = new Map<Place, GitObject>();
    for (const batch of this.batchesOf(places)) {
      const found = await this.packOf(batch[0] as Place).read(batch.map(positionOfPlace), pace);
      for (const [number, object] of found.entries()) objects.set(batch[number] as Place, object);
    }
    return places.map((place) => objects.get(place) as GitObject);
  }

  /** Distinct places in storage order, cut between packs and when a batch grows large. */
  private *batchesOf(places: readonly Place[]): Generator<Place[]> {
    const offsetOf = (place: Place) => this.packOf(place).side.offsetAt(positionOfPlace(place));
    const sorted = [...new Set(places)].sort(
      (left, right) => packOfPlace(left) - packOfPlace(right) || offsetOf(left) - offsetOf(right),
    );
    let batch: Place[] = [];
    let bytes = 0;
    for (const place of sorted) {
      const { start, end } = this.packOf(place).rangeOf(positionOfPlace(place));
      const isOther = batch.length > 0 && packOfPlace(batch[0] as Place) !== packOfPlace(place);
      if (isOther || bytes > batchBytes) {
        yield batch;
        batch = [];
        bytes = 0;
      }
      batch.push(place);
      bytes += end - start;
    }
    if (batch.length > 0) yield batch;
  }

  /** The object, if every needed byte is in memory and making it takes only a moment; never waits. */
  readCached(place: Place): GitObject | undefined {
    return this.packOf(place).readCached(positionOfPlace(place));
  }

  /** The content in pieces. Whole blobs of any size pass in bounded memory; blobs stored as deltas are made whole. */
  async *stream(place: Place, pace?: Pace): AsyncGenerator<Buffer> {
    const { side } = this.packOf(place);
    const position = positionOfPlace(place);
    if (side.baseAt(position) < 0 && side.sizeAt(position) > streamedBytes) {
      yield* this.packOf(place).stream(position);
    } else {
      yield (await this.read(place, pace)).data;
    }
  }
}

/** Opens packs (oldest first), loading side files that are not in memory yet. */
export async function openPackSet(
  files: PackFiles,
  format: ObjectFormat,
  entries: readonly PackEntry[],
  caches: PackCaches = processPackCaches,
): Promise<PackSet> {
  const packs = await Promise.all(
    entries.map(async (entry) => {
      const side = await caches.side(files, entry);
      if (side.format !== format) throw new Error(`pack ${entry.id} is ${side.format}, not ${format}`);
      return new PackReader(files, entry, side, caches);
    }),
  );
  return new PackSet(format, packs);
}
