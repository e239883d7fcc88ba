import { type PackSet, type Place, packOfPlace, positionOfPlace } from "./pack-set.ts";

/** What of one pack goes out: positions in its side file (any order, no doubles), or all of it. */
export interface PackSelection {
  /** Index into `packSet.packs`. */
  pack: number;
  positions: Uint32Array | "all";
}

/** Every object of the set once: whole packs, oldest first, less what an older one already has. */
export function selectAll(packSet: PackSet): PackSelection[] {
  const selection: PackSelection[] = [];
  for (const [pack, { side }] of packSet.packs.entries()) {
    const older = packSet.packs.slice(0, pack);
    const kept = new Uint32Array(side.count);
    let count = 0;
    for (let position = 0; position < side.count; position++) {
      const id = side.idAt(position);
      if (!older.some((other) => other.side.find(id) >= 0)) kept[count++] = position;
    }
    if (count > 0) selection.push({ pack, positions: count === side.count ? "all" : kept.slice(0, count) });
  }
  return selection;
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
