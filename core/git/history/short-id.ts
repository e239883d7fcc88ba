import { type ObjectId, objectIdBytes, objectIdLength } from "../format/object-format.ts";
import type { PackSet } from "../pack/pack-set.ts";

/** Ids that begin with some hexadecimal digits, each once, in order, at most `most`. Reads only the indexes. */
export function idsWithPrefix(packs: PackSet, prefix: string, most: number): ObjectId[] {
  const length = objectIdLength(packs.format);
  if (prefix.length > length) return [];
  const low = Buffer.from(prefix.padEnd(length, "0"), "hex");
  const found = new Set<ObjectId>();
  for (const { side } of packs.packs) {
    let taken = 0;
    for (let at = side.index.lowerBound(low); at < side.count && taken < most; at++) {
      const id = side.idAt(at).toString("hex");
      if (!id.startsWith(prefix)) break;
      found.add(id);
      taken += 1;
    }
  }
  return [...found].sort().slice(0, most);
}

const fewestDigits = 7;

/** How many digits of ids git shows among so many objects: about twice as many as tell them apart, at least 7. */
export function usualDigits(packs: PackSet): number {
  const count = packs.packs.reduce((sum, { side }) => sum + side.count, 0);
  return Math.max(fewestDigits, Math.ceil(count.toString(2).length / 2));
}

/** The shortest beginning of an id, of at least `least` digits, that no other object shares. */
export function abbreviate(packs: PackSet, id: ObjectId, least: number): string {
  const binary = Buffer.from(id, "hex");
  const idBytes = objectIdBytes(packs.format);
  let shared = 0;
  for (const { side } of packs.packs) {
    const at = side.index.lowerBound(binary);
    for (const neighbor of [at - 1, at, at + 1]) {
      if (neighbor < 0 || neighbor >= side.count) continue;
      const other = side.idAt(neighbor);
      if (other.compare(binary, 0, idBytes) === 0) continue;
      shared = Math.max(shared, sharedDigits(other.toString("hex"), id));
    }
  }
  return id.slice(0, Math.max(least, shared + 1));
}

function sharedDigits(left: ObjectId, right: ObjectId): number {
  let at = 0;
  while (at < left.length && left[at] === right[at]) at += 1;
  return at;
}
