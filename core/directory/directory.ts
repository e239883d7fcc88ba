import { defined } from "../defined.ts";
import type { Forge } from "../forge.ts";
import type { PageRequest } from "../page.ts";
import { put, type Write } from "../table/write.ts";
import { entryKey, type TailItem } from "./directory.table.ts";
import { type EntryKind, existsFlag, flagsAt } from "./entry-kind.ts";
import { requestFold } from "./fold-requests.ts";
import { fullPage } from "./internal/full-page.ts";
import { type Grouping, type Groups, groupsIn } from "./internal/groups.ts";
import { newestPage } from "./internal/newest-page.ts";
import type { DirectoryPage, PageBounds, Telling } from "./page.ts";
import { repairSegments, takeFromItems } from "./rebuild.ts";
import { BrokenSegments, type DirectoryPlace, type DirectoryView, type Mended, readView } from "./view.ts";

/**
 * A large list that is filtered, sorted and addressed by page number: the issues of a repository, the
 * repositories or the users of the instance.
 */
export interface Directory<Entry, Filter, Sort> extends DirectoryPlace {
  readonly kind: EntryKind<Entry, Filter, Sort>;
}

/** The query of a list; a `limit` of 0 asks for the total alone. */
export interface DirectoryQuery<Filter, Sort> extends Telling, PageRequest {
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
export function tailWrite<Entry, Filter, Sort>(
  directory: Directory<Entry, Filter, Sort>,
  id: number,
  entry: Entry,
  version: number,
): Write {
  const { kind, partition } = directory;
  const text = kind.encodeText === undefined ? {} : { x: kind.encodeText(entry) };
  const item: TailItem = {
    ...entryKey(partition, id),
    e: kind.encode(entry, version),
    ...text,
    v: version,
    _v: 1,
  };
  return put(item);
}

/**
 * Belongs in the transaction that removes the thing: its entry becomes "gone". `entry` is its last state, and `version`
 * is greater than its last version. The mark stays until a compaction has removed the entry from the segments.
 */
export function goneWrite<Entry, Filter, Sort>(
  directory: Directory<Entry, Filter, Sort>,
  id: number,
  entry: Entry,
  version: number,
): Write {
  const { kind, partition } = directory;
  const e = kind.encode(entry, version);
  e[flagsAt] = (e[flagsAt] ?? 0) & ~existsFlag;
  return put({ ...entryKey(partition, id), e, v: version, _v: 1 } satisfies TailItem);
}

/**
 * One page and the exact total, with every acknowledged change and without removed things. It rebuilds missing or
 * damaged segments on the way, and reads the items instead when segments keep breaking. Unavailable while the manifest
 * is damaged.
 */
export const listDirectory = <Entry, Filter, Sort>(
  forge: Forge,
  directory: Directory<Entry, Filter, Sort>,
  query: DirectoryQuery<Filter, Sort>,
): Promise<DirectoryPage> =>
  read(forge, directory, (view, mended) => pageIn(forge, directory, view, { ...query, mended }));

/** The group of each thing in an index, with every acknowledged change; otherwise like `listDirectory`. */
export const readGroups = (forge: Forge, directory: DirectoryPlace, grouping: Grouping): Promise<Groups> =>
  read(forge, directory, (view, mended) => groupsIn(forge, directory, view, { grouping, mended }));

/** Makes an answer from a view; BrokenSegments when it needs segments that can't be had. */
type Answering<Answer> = (view: DirectoryView, mended: Mended) => Promise<Answer | BrokenSegments>;

/** How often a reading may find its manifest outdated, or segments broken, before it asks the items. */
const mostReadings = 4;

async function read<Answer>(
  forge: Forge,
  directory: DirectoryPlace,
  answerIn: Answering<Answer>,
): Promise<Answer> {
  const mended: Mended = new Map();
  const seenBroken = new Set<string>();
  for (let reading = 1; ; reading += 1) {
    const view = await readView(forge, directory);
    await requestFold(forge, directory, view.tailLength);
    const answer = await answerIn(view, mended);
    if (!(answer instanceof BrokenSegments)) return answer;
    if (reading === mostReadings) return readFromItems(forge, directory, view, mended, answerIn);
    // The first time, the manifest may just have been outdated.
    const surely = answer.only(({ id }) => seenBroken.has(id));
    if (surely.segments.size > 0) await repairSegments(forge, directory, view, surely, mended);
    for (const { id } of answer.segments.keys()) seenBroken.add(id);
  }
}

/**
 * An answer from this view, whatever breaks meanwhile: each pass takes missing segments from the items, which are at
 * least as new. The number of segments bounds the passes.
 */
async function readFromItems<Answer>(
  forge: Forge,
  directory: DirectoryPlace,
  view: DirectoryView,
  mended: Mended,
  answerIn: Answering<Answer>,
): Promise<Answer> {
  for (;;) {
    const answer = await answerIn(view, mended);
    if (!(answer instanceof BrokenSegments)) return answer;
    await takeFromItems(forge, directory, view, new Set(answer.segments.keys()), mended);
  }
}

function pageIn<Entry, Filter, Sort>(
  forge: Forge,
  directory: Directory<Entry, Filter, Sort>,
  view: DirectoryView,
  query: DirectoryQuery<Filter, Sort> & { mended: Mended },
): Promise<DirectoryPage | BrokenSegments> {
  const { filter, sort, page, limit, countTotal, mended, keyOf, withVersions = false } = query;
  const telling: Telling = { ...defined({ keyOf }), withVersions };
  const bounds: PageBounds = { start: (page - 1) * limit, end: page * limit };
  const { kind } = directory;
  const classes = kind.countedClasses?.(filter, sort);
  if (classes === undefined) {
    return fullPage(forge, directory, view, { filter, sort, bounds, mended, ...telling });
  }
  const counting = defined({ countTotal });
  const isMatch = kind.matcher(filter);
  return newestPage(forge, directory, view, { classes, isMatch, bounds, mended, ...counting, ...telling });
}
