/** A path's key in a filter: a hash from which its bits follow. */
export type PathKey = number;

const bitsPerPath = 16;
const probes = 7;
/** In a smaller filter two paths easily have all bits in common. */
const leastBytes = 8;

/** The key of a path (raw bytes, latin1). */
export function pathKey(path: string): PathKey {
  let hash = 0x811c9dc5;
  for (let at = 0; at < path.length; at++) hash = Math.imul(hash ^ path.charCodeAt(at), 0x01000193);
  return mixed(hash);
}

/** The number of a key's next probe, each as good as random. */
function mixed(number: number): number {
  let hash = (number + 0x9e3779b9) | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The memory for making filters, one at a time: the next one overwrites the last. */
export class FilterRoom {
  #room = Buffer.alloc(0);

  /** Zeros. */
  take(bytes: number): Buffer {
    if (this.#room.length < bytes) this.#room = Buffer.alloc(bytes * 2);
    return this.#room.subarray(0, bytes).fill(0);
  }
}

/**
 * A Bloom filter of some paths: 16 bits and 7 probes each, so that of a thousand other paths about one seems to be
 * among them. Without paths it is one empty byte.
 */
export function filterOfPaths(paths: ReadonlySet<string>, room: FilterRoom): Buffer {
  const bytes = paths.size === 0 ? 1 : Math.max(leastBytes, Math.ceil((paths.size * bitsPerPath) / 8));
  const filter = room.take(bytes);
  for (const path of paths) {
    let key = pathKey(path);
    for (let probe = 0; probe < probes; probe++, key = mixed(key)) {
      const bit = key % (bytes * 8);
      filter[bit >> 3] = (filter[bit >> 3] as number) | (1 << (bit & 7));
    }
  }
  return filter;
}

/** Stands for paths that were too many to keep. */
export const anyPath = Buffer.alloc(0);

/** Whether a path may be among those of a filter; "no" is certain. */
export function mayHold(filter: Uint8Array, key: PathKey): boolean {
  if (filter.length === 0) return true;
  let number = key;
  for (let probe = 0; probe < probes; probe++, number = mixed(number)) {
    const bit = number % (filter.length * 8);
    if (((filter[bit >> 3] as number) & (1 << (bit & 7))) === 0) return false;
  }
  return true;
}
