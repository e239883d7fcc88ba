import type { Ranking, Row } from "./entry-kind.ts";

/** The ids (issue numbers) of one page in order, and how many entries match in all. */
export interface DirectoryPage {
  readonly ids: number[];
  readonly total: number;
  /** What `keyOf` says of each of the ids, where the query has one. */
  readonly keys?: readonly number[];
}

/** A number of an entry that a list tells beside its id: what pages of several directories are merged by. */
export type KeyOf = (row: Row) => number;

/** Which part of the matches is asked for, by place from 0 on; `end` is not in it. */
export interface PageBounds {
  readonly start: number;
  readonly end: number;
}

/** Gathers matches by rising id, then puts one page of them in order. */
export class Matches {
  readonly #ranking: Ranking;
  readonly #bounds: PageBounds;
  readonly #needsKeys: boolean;
  readonly #keyOf: KeyOf | undefined;
  readonly #ids: number[] = [];
  readonly #told: number[] = [];
  readonly #keys: (number | string)[] = [];
  #total = 0;

  constructor(ranking: Ranking, bounds: PageBounds, keyOf?: KeyOf) {
    this.#ranking = ranking;
    this.#keyOf = keyOf;
    this.#bounds = bounds;
    this.#needsKeys = ranking.isById !== true;
  }

  add(row: Row): void {
    this.#total += 1;
    if (this.#bounds.start >= this.#bounds.end) return;
    this.#ids.push(row.id);
    if (this.#needsKeys) this.#keys.push(this.#ranking.key(row));
    if (this.#keyOf !== undefined) this.#told.push(this.#keyOf(row));
  }

  page(): DirectoryPage {
    const total = this.#total;
    const start = Math.min(this.#bounds.start, total);
    const end = Math.min(this.#bounds.end, total);
    const places = start >= end ? [] : this.#needsKeys ? this.#byKey(start, end) : this.#byId(start, end);
    const ids = places.map((place) => this.#ids[place] as number);
    if (this.#keyOf === undefined) return { ids, total };
    return { ids, total, keys: places.map((place) => this.#told[place] as number) };
  }

  #byId(start: number, end: number): number[] {
    const { isDescending } = this.#ranking;
    return Array.from({ length: end - start }, (_, at) =>
      isDescending ? this.#total - 1 - start - at : start + at,
    );
  }

  /** Sorting bare keys finds between which keys the page lies; only what lies there is put in order. */
  #byKey(start: number, end: number): number[] {
    const { isDescending, ties } = this.#ranking;
    const sorted = sortKeys(this.#keys);
    const low = sorted[isDescending ? this.#total - end : start] as number | string;
    const high = sorted[(isDescending ? this.#total - start : end) - 1] as number | string;
    let before = 0;
    const near: number[] = [];
    this.#keys.forEach((key, place) => {
      if (key < low) before += isDescending ? 0 : 1;
      else if (key > high) before += isDescending ? 1 : 0;
      else near.push(place);
    });
    if (ties === "newest") near.reverse();
    const direction = isDescending ? -1 : 1;
    near.sort((one, other) => direction * compare(this.#keys[one], this.#keys[other]));
    return near.slice(start - before, end - before);
  }
}

function sortKeys(keys: readonly (number | string)[]): ArrayLike<number | string> {
  return typeof keys[0] === "number" ? Float64Array.from(keys as number[]).sort() : [...keys].sort();
}

function compare(one: number | string | undefined, other: number | string | undefined): number {
  if (one === other || one === undefined || other === undefined) return 0;
  return one < other ? -1 : 1;
}
