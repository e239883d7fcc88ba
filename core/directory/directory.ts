import type { Forge } from "../forge.ts";
import type { PageRequest } from "../page.ts";
import { put, type Write } from "../table.ts";
import { entryKey, type TailItem } from "./directory.table.ts";
import { type EntryKind, existsFlag, flagsAt } from "./entry-kind.ts";
import { requestFold } from "./fold-requests.ts";
import { fullPage } from "./full-page.ts";
import { type Grouping, type Groups, groupsIn } from "./groups.ts";
import { newestPage } from "./newest-page.ts";
import type { DirectoryPage, PageBounds, Telling } from "./page.ts";
import { repairSegments, takeFromItems } from "./rebuild.ts";
import { BrokenSegments, type DirectoryPlace, type DirectoryView, type Mended, readView } from "./view.ts";

export type { DirectoryPage } from "./page.ts";
export type { DirectoryPlace } from "./view.ts";

/**
 * A large list that is filtered, sorted and addressed by page number: the issues of a repository, the
 * repositories or the users of the instance.
 */
export interface Directory<Entry, Filter, Sort> extends DirectoryPlace {
  readonly kind: EntryKind<Entry, Filter, Sort>;
}

/** What a list asks for; a `limit` of 0 asks for the total alone. */
export interface DirectoryQuery<Filter, Sort> extends Telling, PageRequest {
  readonly filter: Filter;
  readonly sort: Sort;
  /** Reads the total from a count that the caller keeps, exact as well; asked only where that spares loading segments. */
  readonly countTotal?: () => Promise<number>;
}

/**
 * Belongs into the transaction that creates or changes the thing, whose condition guards it: `version` is the thing's
 * new edit version, greater than any before. `id` is the number, the repository's or the owner's id.
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
 * Belongs into the transaction that removes the thing: its entry says "gone". `entry` is what it was at the end, and
 * `version` greater than what it had. The mark stays until a fold has taken the entry out of the segments.
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
 * One page and the exact total, with every acknowledged change in it. What was removed is in neither. Segments that
 * are missing or damaged are rebuilt on the way; where they break as fast as that, the items stand in for them.
 * Unavailable while the pointer is damaged.
 */
export const list = <Entry, Filter, Sort>(
  forge: Forge,
  directory: Directory<Entry, Filter, Sort>,
  query: DirectoryQuery<Filter, Sort>,
): Promise<DirectoryPage> =>
  read(forge, directory, (view, mended) => pageIn(forge, directory, view, { ...query, mended }));

/** In which group each thing of a directory is, with every acknowledged change; otherwise as `list`. */
export const readGroups = (forge: Forge, directory: DirectoryPlace, grouping: Grouping): Promise<Groups> =>
  read(forge, directory, (view, mended) => groupsIn(forge, directory, view, { grouping, mended }));

/** Makes an answer of a view; BrokenSegments when it needs some that can't be had. */
type Answering<Answer> = (view: DirectoryView, mended: Mended) => Promise<Answer | BrokenSegments>;

/** Readings that may find their pointer outdated, or segments broken, before the items are asked. */
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
    await requestFold(forge, directory, view.hasOutdated ? Number.POSITIVE_INFINITY : view.tailLength);
    const answer = await answerIn(view, mended);
    if (!(answer instanceof BrokenSegments)) return answer;
    if (reading === mostReadings) return readFromItems(forge, directory, view, mended, answerIn);
    // The first time the pointer may just have been outdated.
    const surely = answer.only(({ id }) => seenBroken.has(id));
    if (surely.segments.size > 0) await repairSegments(forge, directory, view, surely, mended);
    for (const { id } of answer.segments.keys()) seenBroken.add(id);
  }
}

/**
 * An answer from this view, whatever breaks meanwhile: each pass takes what it could not have from the items, which say
 * no less than a segment that was swept since. There are only so many segments.
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
  const telling: Telling = { ...(keyOf === undefined ? {} : { keyOf }), withVersions };
  const bounds: PageBounds = { start: (page - 1) * limit, end: page * limit };
  const { kind } = directory;
  const classes = kind.countedClasses?.(filter, sort);
  if (classes === undefined) {
    return fullPage(forge, directory, view, { filter, sort, bounds, mended, ...telling });
  }
  const counting = countTotal === undefined ? {} : { countTotal };
  const isMatch = kind.matcher(filter);
  return newestPage(forge, directory, view, { classes, isMatch, bounds, mended, ...counting, ...telling });
}
