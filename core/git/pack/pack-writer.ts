import type { PackSet, Place } from "./pack-set.ts";

/** What of one pack goes out: positions in its side file (any order, no doubles), or the whole pack. */
export interface PackSelection {
  /** Index into `packSet.packs`. */
  pack: number;
  positions: Uint32Array | "all";
}

/** What to write and for whom. */
export interface WritePackOptions {
  packSet: PackSet;
  /** No object twice, in no order. */
  selection: readonly PackSelection[];
  /** Objects the client has: deltas against them go out thin. As `packSet.find` names them. */
  thinBases?: { has(place: Place): boolean };
  /** False when the client didn't offer ofs-delta. */
  useOfsDelta: boolean;
  signal?: AbortSignal;
}

/** A pack of the selected objects, reusing stored bytes. Pieces are valid until the next one is asked for. */
export async function* writePack(_options: WritePackOptions): AsyncGenerator<Uint8Array> {
  throw new Error("not built");
}

/** The selection of every object of every pack once: whole packs, less what an earlier one already has. */
export function selectAll(_packSet: PackSet): PackSelection[] {
  throw new Error("not built");
}

/** Turns places (any order, no doubles) into a selection. */
export function selectPlaces(_packSet: PackSet, _places: Iterable<Place>): PackSelection[] {
  throw new Error("not built");
}
