/** The store of packs and side files: immutable objects by key. The S3 store and a local folder both satisfy it. */
export interface PackFiles {
  /** The whole object. Throws when the key is absent. */
  get(key: string): Promise<Uint8Array>;
  /** Bytes [start, endExclusive); both inside the object. */
  read(key: string, start: number, endExclusive: number): Promise<Uint8Array>;
  /** The same range in pieces of any size. */
  stream(key: string, start: number, endExclusive: number): AsyncIterable<Uint8Array>;
}

/** One pack of a repository, from its manifest. Its files are `<key>.pack` and `<key>.side`. */
export interface PackEntry {
  /** Identifies the pack in caches: two entries with one id hold the same bytes. */
  id: string;
  key: string;
  packBytes: number;
  sideBytes: number;
  objects: number;
}

/** The key of a pack's own bytes. */
export const packKey = (entry: Pick<PackEntry, "key">): string => `${entry.key}.pack`;

/** The key of the side file beside it. */
export const sideKey = (entry: Pick<PackEntry, "key">): string => `${entry.key}.side`;
