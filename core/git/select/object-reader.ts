import { emptyTreeId, type ObjectId } from "../object/object-format.ts";
import type { GitObject } from "../object/object-type.ts";
import type { PackSet, Place } from "../pack/pack-set.ts";

/** An id in binary inside a larger buffer, or in hexadecimal. */
type AnyId = ObjectId | Uint8Array;

const hexOf = (id: AnyId): ObjectId => (typeof id === "string" ? id : Buffer.from(id).toString("hex"));

/** An object that others name is in none of the packs: the repository is damaged. */
export class MissingObject extends Error {
  constructor(id: AnyId) {
    super(`object ${hexOf(id)} is missing`);
    this.name = "MissingObject";
  }
}

const treeCacheBytes = 48 * 2 ** 20;

/** Reads objects of one set for a walk, and keeps the trees that it has just seen. */
export class ObjectReader {
  readonly packs: PackSet;
  readonly #trees = new Map<Place, Buffer>();
  #treeBytes = 0;

  constructor(packs: PackSet) {
    this.packs = packs;
  }

  /** Where an object lies. Throws MissingObject. */
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

  /** The object: at once where its bytes are in memory. */
  read(place: Place): GitObject | Promise<GitObject> {
    return this.packs.readCached(place) ?? this.packs.read(place);
  }

  /** A tree's content: at once where it was read lately. Throws when the object is no tree. */
  tree(place: Place): Buffer | Promise<Buffer> {
    const kept = this.#trees.get(place);
    if (kept !== undefined) return kept;
    const object = this.read(place);
    return object instanceof Promise
      ? object.then((read) => this.#keepTree(place, read))
      : this.#keepTree(place, object);
  }

  #keepTree(place: Place, { type, data }: GitObject): Buffer {
    if (type !== "tree") throw new Error(`object ${this.packs.idOf(place)} is a ${type}, not a tree`);
    this.#trees.set(place, data);
    this.#treeBytes += data.length;
    for (const [oldest, tree] of this.#trees) {
      if (this.#treeBytes <= treeCacheBytes) break;
      this.#trees.delete(oldest);
      this.#treeBytes -= tree.length;
    }
    return data;
  }
}
