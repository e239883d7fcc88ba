import type { PackReader } from "./pack-reader.ts";
import { type PackSet, type Place, packOfPlace, positionOfPlace } from "./pack-set.ts";

/** The part of one pack to send: positions in its side file (any order, no doubles), or all of it. */
export interface PackSelection {
  /** Index into `packSet.packs`. */
  pack: number;
  positions: Uint32Array | "all";
}

/** More packs are compared all at once instead of each with every older one. */
const mostCompared = 8;

/** Every object of the set once: whole packs, oldest first, without objects that an older one has. */
export function selectAll(packSet: PackSet): PackSelection[] {
  const isNew = packSet.packs.length > mostCompared ? sortedOut(packSet) : comparedWithOlder(packSet);
  return packSet.packs.flatMap(({ side: { count } }, pack): PackSelection[] => {
    const kept = new Uint32Array(count);
    let keptCount = 0;
    for (let position = 0; position < count; position++) {
      if (isNew(pack, position)) kept[keptCount++] = position;
    }
    if (keptCount === 0) return [];
    return [{ pack, positions: keptCount === count ? "all" : kept.slice(0, keptCount) }];
  });
}

/** Whether no older pack has the object at a position; called for all positions, pack by pack. */
type IsNew = (pack: number, position: number) => boolean;

const comparedWithOlder = ({ packs }: PackSet): IsNew => {
  const isOlderWith = (id: Uint8Array, before: number) =>
    packs.some(({ side }, pack) => pack < before && side.find(id) >= 0);
  return (pack, position) => !isOlderWith((packs[pack] as PackReader).side.idAt(position), pack);
};

/** Ids are grouped by their first byte, so that few of them are in memory as texts at a time. */
function sortedOut({ packs }: PackSet): IsNew {
  const flags = packs.map(({ side }) => new Uint8Array(side.count));
  const places = packs.map(() => 0);
  for (let first = 0; first < 256; first++) {
    const seen = new Set<string>();
    for (const [pack, { side }] of packs.entries()) {
      let place = places[pack] as number;
      for (; place < side.count && side.idAt(place)[0] === first; place++) {
        const id = side.idAt(place).toString("latin1");
        if (seen.has(id)) continue;
        seen.add(id);
        (flags[pack] as Uint8Array)[place] = 1;
      }
      places[pack] = place;
    }
  }
  return (pack, position) => flags[pack]?.[position] === 1;
}

/** Places (no doubles) as a selection, packs oldest first. */
export function selectPlaces(packSet: PackSet, places: Iterable<Place>): PackSelection[] {
  const byPack: number[][] = packSet.packs.map(() => []);
  for (const place of places) byPack[packOfPlace(place)]?.push(positionOfPlace(place));
  const selection: PackSelection[] = [];
  for (const [pack, positions] of byPack.entries()) {
    if (positions.length > 0) selection.push({ pack, positions: Uint32Array.from(positions) });
  }
  return selection;
}

/** How many objects a selection holds. */
export function countSelected(packSet: PackSet, selection: readonly PackSelection[]): number {
  let count = 0;
  for (const { pack, positions } of selection) {
    count += positions === "all" ? (packSet.packs[pack]?.side.count ?? 0) : positions.length;
  }
  return count;
}
