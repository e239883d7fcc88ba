/** What a filter knows a path by: two numbers from which its bits follow. */
export interface PathKey {
  readonly first: number;
  readonly second: number;
}

const bitsPerPath = 10;
const probes = 7;

function hashOf(path: string, seed: number): number {
  let hash = seed;
  for (let at = 0; at < path.length; at++) hash = Math.imul(hash ^ path.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}

/** The key of a path (raw bytes, latin1). */
export const pathKey = (path: string): PathKey => ({
  first: hashOf(path, 0x811c9dc5),
  second: hashOf(path, 0x2545f491) | 1,
});

const bitOf = ({ first, second }: PathKey, probe: number, bits: number): number =>
  ((first + Math.imul(probe, second)) >>> 0) % bits;

/**
 * A Bloom filter of some paths: 10 bits and 7 probes each, so that of a hundred others about one seems to be among
 * them. Of no paths it is one empty byte.
 */
export function filterOfPaths(paths: ReadonlySet<string>): Buffer {
  const filter = Buffer.alloc(Math.max(1, Math.ceil((paths.size * bitsPerPath) / 8)));
  for (const path of paths) {
    const key = pathKey(path);
    for (let probe = 0; probe < probes; probe++) {
      const bit = bitOf(key, probe, filter.length * 8);
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
  for (let probe = 0; probe < probes; probe++) {
    const bit = bitOf(key, probe, filter.length * 8);
    if (((filter[bit >> 3] as number) & (1 << (bit & 7))) === 0) return false;
  }
  return true;
}
