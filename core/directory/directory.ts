import type { Forge } from "../forge.ts";
import { put, type Write } from "../table.ts";
import { entryKey, type TailItem } from "./directory.table.ts";
import { type EntryKind, existsFlag, flagsAt, isThere, type Ranking } from "./entry-kind.ts";
import { readTail } from "./tail.ts";

/**
 * A large list that is filtered, sorted and addressed by page number (data model §4): the issues of a repository, the
 * repositories or the users of the instance.
 */
export interface Directory<Entry, Filter, Sort> {
  readonly kind: EntryKind<Entry, Filter, Sort>;
  /** Partitions of the tail. */
  readonly parts: readonly string[];
}

/** What a list asks for: `page` counts from 1, `limit` is its size (0: only the total). */
export interface DirectoryQuery<Filter, Sort> {
  readonly filter: Filter;
  readonly sort: Sort;
  readonly page: number;
  readonly limit: number;
}

/** The ids (issue numbers) of one page in order, and how many entries match in all. */
export interface DirectoryPage {
  readonly ids: number[];
  readonly total: number;
}

/**
 * Belongs into the transaction that creates or changes the thing, whose condition guards it: `version` is the thing's
 * new edit version. `id` is the number, the repository's or the owner's id.
 */
export function tailWrite<Entry, Filter, Sort>(
  directory: Directory<Entry, Filter, Sort>,
  id: number,
  entry: Entry,
  version: number,
): Write {
  const { kind, parts } = directory;
  const text = kind.encodeText === undefined ? {} : { x: kind.encodeText(entry) };
  const item: TailItem = {
    ...entryKey(parts, id),
    e: kind.encode(entry, version),
    ...text,
    v: version,
    _v: 1,
  };
  return put(item);
}

/** Belongs into the transaction that removes the thing: its entry says "gone". `entry` is what it was at the end. */
export function goneWrite<Entry, Filter, Sort>(
  directory: Directory<Entry, Filter, Sort>,
  id: number,
  entry: Entry,
  version: number,
): Write {
  const { kind, parts } = directory;
  const e = kind.encode(entry, version);
  e[flagsAt] = (e[flagsAt] ?? 0) & ~existsFlag;
  return put({ ...entryKey(parts, id), e, v: version, _v: 1 } satisfies TailItem);
}

/** One page and the exact total, with every acknowledged change in it. What was removed is in neither. */
export async function list<Entry, Filter, Sort>(
  forge: Forge,
  directory: Directory<Entry, Filter, Sort>,
  { filter, sort, page, limit }: DirectoryQuery<Filter, Sort>,
): Promise<DirectoryPage> {
  const { kind, parts } = directory;
  const matches = kind.matcher(filter);
  const ranking = kind.ranking(sort);
  const hits: Hit[] = [];
  for (const row of await readTail(forge, kind, parts)) {
    if (isThere(row) && matches(row)) hits.push({ id: row.id, key: limit === 0 ? 0 : ranking.key(row) });
  }
  const start = (page - 1) * limit;
  const ids = limit === 0 ? [] : inOrder(hits, ranking).slice(start, start + limit);
  return { ids, total: hits.length };
}

interface Hit {
  readonly id: number;
  readonly key: number | string;
}

function inOrder(hits: Hit[], { isDescending, ties }: Ranking): number[] {
  const byKey = isDescending ? -1 : 1;
  const byId = ties === "newest" ? -1 : 1;
  return hits
    .sort((one, other) => {
      if (one.key !== other.key) return one.key < other.key ? -byKey : byKey;
      return one.id < other.id ? -byId : byId;
    })
    .map((hit) => hit.id);
}
