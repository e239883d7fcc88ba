import type { ObjectFormat, ObjectId } from "../object/object-format.ts";
import type { GitObject, ObjectType } from "../object/object-type.ts";
import type { IngestedPack } from "./ingest-types.ts";
import type { PackCaches } from "./pack-caches.ts";
import type { PackEntry, PackFiles } from "./pack-files.ts";
import type { SideFile } from "./side-file.ts";

/** Where an object lies in a PackSet: a plain number, valid for that set alone. Good as a Map key. */
export type Place = number;

/** One pack of a set. */
export interface OpenPack {
  readonly entry: PackEntry;
  readonly side: SideFile;
}

/** All objects of some packs, as one. */
export interface PackSet {
  readonly format: ObjectFormat;
  /** Oldest first, as given. */
  readonly packs: readonly OpenPack[];
  /** Newest pack first; a base appended to a thin pack gives way to the original. */
  find(id: ObjectId | Uint8Array): Place | undefined;
  has(id: ObjectId | Uint8Array): boolean;
  idOf(place: Place): ObjectId;
  typeOf(place: Place): ObjectType;
  sizeOf(place: Place): number;
  /** Throws when an id is absent or the stored bytes are damaged. */
  read(target: Place | ObjectId): Promise<GitObject>;
  /** The same for many, in their order, with neighboring ranges fetched as one. */
  readMany(places: readonly Place[]): Promise<GitObject[]>;
  /** The object if every byte needed is in memory; never waits. */
  readCached(place: Place): GitObject | undefined;
  /** The content in pieces; whole blobs of any size pass in bounded memory. */
  stream(place: Place): AsyncIterable<Buffer>;
  /** This set and a pack that is not stored yet, as its newest. */
  withIngested(pack: IngestedPack): PackSet;
}

/** Opens packs (oldest first), loading the side files that are not in memory yet. */
export async function openPackSet(
  _files: PackFiles,
  _format: ObjectFormat,
  _entries: readonly PackEntry[],
  _caches?: PackCaches,
): Promise<PackSet> {
  throw new Error("not built");
}
