import { LRUCache } from "lru-cache";
import { lazyFor } from "../../../lazy.ts";
import { type Item, keyText, type TableKey } from "../../../table/write.ts";
import type { Table } from "../../../table.ts";
import { decodeRefSegment } from "../../refs/ref-segment.ts";
import type { RefEntry } from "../../refs/ref-table.ts";
import {
  type Root,
  type SegmentItem,
  type SegmentListItem,
  segmentKey,
  segmentListKey,
} from "./refs.table.ts";

/** A part of the refs that ROOT names is missing: ROOT was outdated, or there is damage. */
export class MissingRefs extends Error {}

// Counted in refs, together with the refs of whole repositories, which hold the same entries.
const cachedRefs = 100_000;

/** Segments by key; immutable, so nothing here is ever wrong. */
const cacheOf = lazyFor(
  (_table: Table) =>
    new LRUCache<string, readonly RefEntry[]>({
      maxSize: cachedRefs,
      sizeCalculation: (entries) => entries.length + 1,
    }),
);

/** The ids of ROOT's segments in the order of their names; many lie in an item of their own. */
export async function segmentIds(table: Table, root: Root): Promise<readonly string[]> {
  if (root.segmentList === "") return root.segments;
  const key = segmentListKey(root.repositoryId, root.segmentList);
  const list = (await getImmutable<SegmentListItem>(table, [key])).get(keyText(key));
  if (list === undefined) throw new MissingRefs(`repository ${root.repositoryId} lacks its list of segments`);
  return list.ids;
}

/** The refs of each of ROOT's segments, by name. Throws MissingRefs. */
export async function loadRefSegments(
  table: Table,
  repositoryId: number,
  ids: readonly string[],
): Promise<(readonly RefEntry[])[]> {
  const cache = cacheOf(table);
  const keys = ids.map((id) => segmentKey(repositoryId, id));
  const known = new Map(
    keys.flatMap((key) => {
      const cached = cache.get(keyText(key));
      return cached === undefined ? [] : [[keyText(key), cached] as const];
    }),
  );
  const missing = keys.filter((key) => !known.has(keyText(key)));
  const found = await getImmutable<SegmentItem>(table, missing);
  return keys.map((key) => {
    const name = keyText(key);
    const cached = known.get(name);
    if (cached !== undefined) return cached;
    const item = found.get(name);
    if (item === undefined) throw new MissingRefs(`repository ${repositoryId} lacks ref segment ${key.sk}`);
    const entries = decodeRefSegment(item.refs);
    cache.set(name, entries);
    return entries;
  });
}

/** Immutable items can't be stale: read eventually consistently, and strongly when such a read does not see one yet. */
async function getImmutable<T extends Item>(
  table: Table,
  keys: readonly TableKey[],
): Promise<Map<string, T>> {
  if (keys.length === 0) return new Map();
  const found = await table.getAll<T>(keys, { isConsistent: false });
  const missing = keys.filter((key) => !found.has(keyText(key)));
  if (missing.length === 0) return found;
  return new Map([...found, ...(await table.getAll<T>(missing))]);
}
