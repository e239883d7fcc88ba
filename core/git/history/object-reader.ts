import { emptyTreeId, type ObjectId } from "../format/object-format.ts";
import type { GitObject } from "../format/object-type.ts";
import type { Pace } from "../pack/entry-builder.ts";
import type { PackSet, Place } from "../pack/pack-set.ts";

/** An id in binary inside a larger buffer, or in hexadecimal. */
type AnyId = ObjectId | Uint8Array;

const hexOf = (id: AnyId): ObjectId => (typeof id === "string" ? id : Buffer.from(id).toString("hex"));

/** The packs lack an object that others name: the repository is damaged. */
export class MissingObject extends Error {
  constructor(id: AnyId) {
    super(`object ${hexOf(id)} is missing`);
    this.name = "MissingObject";
  }
}

/** Of each of the two generations. */
const treeCacheBytes = 24 * 2 ** 20;

/** Reads objects of one set for a walk, and keeps recent trees. */
export class ObjectReader {
  readonly packs: PackSet;
  /** Two generations: dropping the oldest of a map one by one takes longer the more were dropped. */
  #trees = new Map<Place, Buffer>();
  #olderTrees: ReadonlyMap<Place, Buffer> = new Map();
  #treeBytes = 0;

  constructor(packs: PackSet) {
    this.packs = packs;
  }

  /** The place of an object. Throws MissingObject. */
  place(id: AnyId): Place {
    const place = this.packs.find(id);
    if (place === undefined) throw new MissingObject(id);
    return place;
  }

  /** The same for a tree; undefined for the empty one, which git knows without storing it. */
  treePlace(id: AnyId): Place | undefined {
    const place = this.packs.find(id);
    if (place !== undefined) return place;
    const hex = hexOf(id);
    if (hex === emptyTreeId(this.packs.format)) return undefined;
    throw new MissingObject(hex);
  }

  /** The object: at once when its bytes are in memory. */
  read(place: Place, pace?: Pace): GitObject | Promise<GitObject> {
    return this.packs.readCached(place) ?? this.packs.read(place, pace);
  }

  /** A tree's content: at once when it was read recently. Throws when the object is no tree. */
  tree(place: Place): Buffer | Promise<Buffer> {
    const kept = this.#trees.get(place);
    if (kept !== undefined) return kept;
    const older = this.#olderTrees.get(place);
    if (older !== undefined) return this.#keep(place, older);
    const object = this.read(place);
    return object instanceof Promise
      ? object.then((read) => this.#keepTree(place, read))
      : this.#keepTree(place, object);
  }

  #keepTree(place: Place, { type, data }: GitObject): Buffer {
    if (type !== "tree") throw new Error(`object ${this.packs.idOf(place)} is a ${type}, not a tree`);
    return this.#keep(place, data);
  }

  #keep(place: Place, data: Buffer): Buffer {
    this.#trees.set(place, data);
    this.#treeBytes += data.length;
    if (this.#treeBytes > treeCacheBytes) {
      this.#olderTrees = this.#trees;
      this.#trees = new Map();
      this.#treeBytes = 0;
    }
    return data;
  }
}
