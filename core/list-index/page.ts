import quickselect from "quickselect";
import type { EntryLayout, Ranking, Row } from "./entry-kind.ts";

/** The ids (issue numbers) of one page in order, and the number of all matching entries. */
export interface ListIndexPage {
  readonly ids: number[];
  readonly total: number;
  /** `keyOf` for each of the ids, when the query has one. */
  readonly keys?: readonly number[];
  /** The edit version of each entry, when the query asks for versions. */
  readonly versions?: readonly number[];
}

/** What a query returns of the entries of a page beside their ids. */
export interface Projection {
  readonly keyOf?: KeyOf;
  readonly withVersions?: boolean;
}

/** Collects what a query returns of entries; members that it doesn't ask for stay empty. */
export class ProjectedRows {
  readonly #projection: Projection;
  readonly #layout: EntryLayout;
  readonly #keys: number[] = [];
  readonly #versions: number[] = [];

  constructor(layout: EntryLayout, projection: Projection) {
    this.#layout = layout;
    this.#projection = projection;
  }

  add(row: Row): void {
    const { keyOf, withVersions } = this.#projection;
    if (keyOf !== undefined) this.#keys.push(keyOf(row));
    if (withVersions !== true) return;
    this.#versions.push(row.bytes.readUInt32BE(row.at + this.#layout.versionAt));
  }

  /** Of those that were added at the given places, in this order. */
  at(places: readonly number[]): Pick<ListIndexPage, "keys" | "versions"> {
    const { keyOf, withVersions } = this.#projection;
    const of = (projected: readonly number[]) => places.map((place) => projected[place] as number);
    return {
      ...(keyOf === undefined ? {} : { keys: of(this.#keys) }),
      ...(withVersions === true ? { versions: of(this.#versions) } : {}),
    };
  }
}

/** A number of an entry that a list returns beside its id: the key that merges pages of several indexes. */
export type KeyOf = (row: Row) => number;

/** The part of the matches that is asked for, by place from 0 on, without `end`. */
export interface PageBounds {
  readonly start: number;
  readonly end: number;
}

/** Collects matches by rising id, then sorts one page of them. */
export class Matches {
  readonly #ranking: Ranking;
  readonly #projected: ProjectedRows;
  readonly #bounds: PageBounds;
  readonly #needsKeys: boolean;
  readonly #ids: number[] = [];
  readonly #keys: (number | string)[] = [];
  #total = 0;

  constructor(ranking: Ranking, bounds: PageBounds, projected: ProjectedRows) {
    this.#ranking = ranking;
    this.#projected = projected;
    this.#bounds = bounds;
    this.#needsKeys = ranking.isById !== true;
  }

  add(row: Row): void {
    this.#total += 1;
    if (this.#bounds.start >= this.#bounds.end) return;
    this.#ids.push(row.id);
    if (this.#needsKeys) this.#keys.push(this.#ranking.key(row));
    this.#projected.add(row);
  }

  page(): ListIndexPage {
    const total = this.#total;
    const start = Math.min(this.#bounds.start, total);
    const end = Math.min(this.#bounds.end, total);
    const places = start >= end ? [] : this.#needsKeys ? this.#byKey(start, end) : this.#byId(start, end);
    const ids = places.map((place) => this.#ids[place] as number);
    return { ids, total, ...this.#projected.at(places) };
  }

  #byId(start: number, end: number): number[] {
    const { isDescending } = this.#ranking;
    return Array.from({ length: end - start }, (_, at) =>
      isDescending ? this.#total - 1 - start - at : start + at,
    );
  }

  /** The bare keys tell between which of them the page lies; only the entries between are sorted. */
  #byKey(start: number, end: number): number[] {
    const { isDescending, ties } = this.#ranking;
    const [low, high] = isDescending
      ? keysAt(this.#keys, this.#total - end, this.#total - start - 1)
      : keysAt(this.#keys, start, end - 1);
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

/** The keys that would stand at these two places, the lower first, if all were sorted. */
function keysAt<Key extends number | string>(keys: readonly Key[], first: number, last: number): [Key, Key] {
  const left = [...keys];
  quickselect(left, last);
  quickselect(left, first, 0, last);
  return [left[first] as Key, left[last] as Key];
}

/** Negative when an entry comes before another one in an order: by key, then by id. */
export function comesBefore(
  { isDescending, ties }: Ranking,
  id: number,
  key: number | string,
  otherId: number,
  otherKey: number | string,
): number {
  const byKey = compare(key, otherKey);
  if (byKey !== 0) return isDescending ? -byKey : byKey;
  return ties === "newest" ? otherId - id : id - otherId;
}

function compare(one: number | string | undefined, other: number | string | undefined): number {
  if (one === other || one === undefined || other === undefined) return 0;
  return one < other ? -1 : 1;
}
