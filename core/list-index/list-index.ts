import { defined } from "../defined.ts";
import type { Forge } from "../forge.ts";
import type { PageRequest } from "../page.ts";
import { put, type Write } from "../table/write.ts";
import { requestCompaction } from "./compaction-requests.ts";
import { type EntryKind, existsFlag, flagsAt } from "./entry-kind.ts";
import { type Grouping, type Groups, groupsIn } from "./groups.ts";
import { fullPage } from "./internal/full-page.ts";
import { newestPage } from "./internal/newest-page.ts";
import { type DeltaItem, entryKey } from "./list-index.table.ts";
import type { ListIndexPage, PageBounds, Projection } from "./page.ts";
import { repairSegments, takeFromItems } from "./rebuild.ts";
import { BrokenSegments, type ListIndexPlace, type ListIndexView, type Mended, readView } from "./view.ts";

/**
 * A large list that is filtered, sorted and addressed by page number: the issues of a repository, the
 * repositories or the users of the instance.
 */
export interface ListIndex<Entry, Filter, Sort> extends ListIndexPlace {
  readonly kind: EntryKind<Entry, Filter, Sort>;
}

/** The query of a list; a `limit` of 0 asks for the total alone. */
export interface ListIndexQuery<Filter, Sort> extends Projection, PageRequest {
  readonly filter: Filter;
  readonly sort: Sort;
  /**
   * Reads the total from a count that the caller keeps, which is exact, too. Called only when that spares loading
   * segments.
   */
  readonly countTotal?: () => Promise<number>;
}

/**
 * Belongs in the transaction that creates or changes the thing, whose condition guards it: `version` is the thing's new
 * edit version, greater than any before. `id` is the number, or the repository's or owner's id.
 */
export function deltaWrite<Entry, Filter, Sort>(
  index: ListIndex<Entry, Filter, Sort>,
  id: number,
  entry: Entry,
  version: number,
): Write {
  const { kind, partition } = index;
  const text = kind.encodeText === undefined ? {} : { x: kind.encodeText(entry) };
  const item: DeltaItem = {
    ...entryKey(partition, id),
    e: kind.encode(entry, version),
    ...text,
    v: version,
    _v: 1,
  };
  return put(item);
}

/**
 * Belongs in the transaction that removes the thing: a tombstone in the delta. `entry` is its last state, and `version`
 * is greater than its last version. It stays until a compaction has removed the entry from the segments.
 */
export function tombstoneWrite<Entry, Filter, Sort>(
  index: ListIndex<Entry, Filter, Sort>,
  id: number,
  entry: Entry,
  version: number,
): Write {
  const { kind, partition } = index;
  const e = kind.encode(entry, version);
  e[flagsAt] = (e[flagsAt] ?? 0) & ~existsFlag;
  return put({ ...entryKey(partition, id), e, v: version, _v: 1 } satisfies DeltaItem);
}

/**
 * One page and the exact total, with every acknowledged change and without removed things. It rebuilds missing or
 * damaged segments on the way, and reads the items instead when segments keep breaking. Unavailable while the manifest
 * is damaged.
 */
export const listFromIndex = <Entry, Filter, Sort>(
  forge: Forge,
  index: ListIndex<Entry, Filter, Sort>,
  query: ListIndexQuery<Filter, Sort>,
): Promise<ListIndexPage> =>
  read(forge, index, (view, mended) => pageIn(forge, index, view, { ...query, mended }));

/** The group of each thing in an index, with every acknowledged change; otherwise like `listFromIndex`. */
export const readGroups = (forge: Forge, index: ListIndexPlace, grouping: Grouping): Promise<Groups> =>
  read(forge, index, (view, mended) => groupsIn(forge, index, view, { grouping, mended }));

/** Makes an answer from a view; BrokenSegments when it needs segments that can't be had. */
type Answering<Answer> = (view: ListIndexView, mended: Mended) => Promise<Answer | BrokenSegments>;

/** How often a reading may find its manifest outdated, or segments broken, before it asks the items. */
const mostReadings = 4;

async function read<Answer>(
  forge: Forge,
  index: ListIndexPlace,
  answerIn: Answering<Answer>,
): Promise<Answer> {
  const mended: Mended = new Map();
  const seenBroken = new Set<string>();
  for (let reading = 1; ; reading += 1) {
    const view = await readView(forge, index);
    await requestCompaction(forge, index, view.deltaLength);
    const answer = await answerIn(view, mended);
    if (!(answer instanceof BrokenSegments)) return answer;
    if (reading === mostReadings) return readFromItems(forge, index, view, mended, answerIn);
    // The first time, the manifest may just have been outdated.
    const surely = answer.only(({ id }) => seenBroken.has(id));
    if (surely.segments.size > 0) await repairSegments(forge, index, view, surely, mended);
    for (const { id } of answer.segments.keys()) seenBroken.add(id);
  }
}

/**
 * An answer from this view, whatever breaks meanwhile: each pass takes missing segments from the items, which are at
 * least as new. The number of segments bounds the passes.
 */
async function readFromItems<Answer>(
  forge: Forge,
  index: ListIndexPlace,
  view: ListIndexView,
  mended: Mended,
  answerIn: Answering<Answer>,
): Promise<Answer> {
  for (;;) {
    const answer = await answerIn(view, mended);
    if (!(answer instanceof BrokenSegments)) return answer;
    await takeFromItems(forge, index, view, new Set(answer.segments.keys()), mended);
  }
}

function pageIn<Entry, Filter, Sort>(
  forge: Forge,
  index: ListIndex<Entry, Filter, Sort>,
  view: ListIndexView,
  query: ListIndexQuery<Filter, Sort> & { mended: Mended },
): Promise<ListIndexPage | BrokenSegments> {
  const { filter, sort, page, limit, countTotal, mended, keyOf, withVersions = false } = query;
  const projection: Projection = { ...defined({ keyOf }), withVersions };
  const bounds: PageBounds = { start: (page - 1) * limit, end: page * limit };
  const { kind } = index;
  const classes = kind.countedClasses?.(filter, sort);
  if (classes === undefined) {
    return fullPage(forge, index, view, { filter, sort, bounds, mended, ...projection });
  }
  const counting = defined({ countTotal });
  const isMatch = kind.matcher(filter);
  return newestPage(forge, index, view, { classes, isMatch, bounds, mended, ...counting, ...projection });
}
