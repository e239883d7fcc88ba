import { LRUCache } from "lru-cache";

/** A file in the form in which it is used. */
export interface HeldFile {
  /** Memory held. */
  readonly byteLength: number;
}

/** Bounds of a FileCache, in bytes. */
export interface FileCacheBounds {
  /** Of all files. Larger ones are not kept. */
  readonly mostBytes: number;
  /** Beyond this, files that nobody asked for in the last half minute make room for new ones. */
  readonly idleBytes: number;
}

const idleMs = 30_000;

interface Kept {
  readonly file: HeldFile;
  /** When it was asked for last, in milliseconds. */
  usedAt: number;
}

/**
 * Immutable files of several kinds under one bound; those asked for longest ago go first. Files in use may fill all of
 * it; fewer idle ones stay, so that a process does not keep the largest files of every repository that it ever served.
 */
export class FileCache {
  readonly #kept: LRUCache<string, Kept>;
  readonly #idleBytes: number;
  readonly #now: () => number;
  #kinds = 0;

  constructor({ mostBytes, idleBytes }: FileCacheBounds, now: () => number = () => performance.now()) {
    this.#kept = new LRUCache({ maxSize: mostBytes, sizeCalculation: ({ file }) => file.byteLength });
    this.#idleBytes = idleBytes;
    this.#now = now;
  }

  /** Bytes held of all kinds. */
  get byteLength(): number {
    return this.#kept.calculatedSize;
  }

  /** A part of the cache with keys of its own. */
  ofKind<F extends HeldFile>(): FilesOfKind<F> {
    const kind = this.#kinds++;
    const keyOf = (id: string) => `${kind}:${id}`;
    return {
      get: (id) => this.#get(keyOf(id)) as F | undefined,
      peek: (id) => this.#kept.peek(keyOf(id))?.file as F | undefined,
      set: (id, file) => this.#set(keyOf(id), file),
      delete: (id) => void this.#kept.delete(keyOf(id)),
    };
  }

  clear(): void {
    this.#kept.clear();
  }

  #get(key: string): HeldFile | undefined {
    const kept = this.#kept.get(key);
    if (kept !== undefined) kept.usedAt = this.#now();
    return kept?.file;
  }

  #set(key: string, file: HeldFile): void {
    const usedAt = this.#now();
    this.#kept.set(key, { file, usedAt });
    while (this.#kept.calculatedSize > this.#idleBytes) {
      const oldest = this.#kept.rvalues().next().value;
      if (oldest === undefined || usedAt - oldest.usedAt < idleMs) break;
      this.#kept.pop();
    }
  }
}

/** Files of one kind, by id. */
export interface FilesOfKind<F extends HeldFile> {
  get(id: string): F | undefined;
  /** Like `get`, without counting as a use. */
  peek(id: string): F | undefined;
  set(id: string, file: F): void;
  delete(id: string): void;
}
