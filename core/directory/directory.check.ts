import { listDue } from "../due.ts";
import type { Forge } from "../forge.ts";
import type { Checks } from "../lifecycle/check/checks.ts";
import { type Finding, forgotten, type Repair, shownKey } from "../lifecycle/check/finding.ts";
import type { Item } from "../table/write.ts";
import { type DirectoryContents, readContents } from "./contents.ts";
import { pointerKey, segmentPrefixes } from "./directory.table.ts";
import type { EntryLayout } from "./entry-kind.ts";
import { issueDirectory } from "./issues.ts";
import { readPointer } from "./pointer.ts";
import { rebuildDirectory } from "./rebuild.ts";
import { repositoryDirectory } from "./repositories.ts";
import { retell } from "./retell.ts";
import { summaryOf } from "./rewrite.ts";
import { loadSegments } from "./segments.ts";
import { walk } from "./stretch.ts";
import { namedColumns, type SegmentSweep, sweepKind, sweepSegmentsLater } from "./sweep.ts";
import { userDirectory } from "./users.ts";
import type { DirectoryPlace, SourceRow } from "./view.ts";

/** The part of a list index's finding that differs between findings. */
type DirectoryProblem = Pick<Finding, "invariant" | "key" | "problem">;

/** `isAhead`: the entry has a later version than its item. */
type EntryProblem = DirectoryProblem & { readonly id: number; readonly isAhead: boolean };

/**
 * Compares a list index with its items: `invariant` is the one that asks for equal entries (2 or 10); 11 and 12 are
 * those of manifest and segments. One rebuild mends the latter; wrong entries are rewritten one by one.
 */
export async function checkDirectory(
  forge: Forge,
  directory: DirectoryPlace,
  invariant: number,
): Promise<Finding[]> {
  const contents = await readContents(forge, directory);
  const structural = [
    ...segmentProblems(directory, contents),
    ...(await summaryProblems(forge, directory, contents)),
  ];
  const rebuild: Repair = async (on) => {
    await rebuildDirectory(on, directory);
    return true;
  };
  const ofEntries = await entryProblems(forge, directory, contents, invariant);
  const remedy = `writes the directory ${directory.name} anew from the items that it describes`;
  return [
    ...structural.map((problem): Finding => ({ ...problem, remedy, repair: rebuild })),
    ...ofEntries.map(({ id, isAhead, ...problem }): Finding => {
      const stored = contents.entries.get(id)?.bytes;
      // A rebuild brings what broken segments held.
      if (stored === undefined && structural.length > 0) return { ...problem, remedy, repair: rebuild };
      const told: Repair = (on) => retell(on, directory, id, stored);
      // A segment's entry with a later version than the item's would win over the delta.
      const repair: Repair = isAhead ? async (on) => (await told(on)) && rebuild(on) : told;
      return { ...problem, remedy: "writes the entry anew from the item that it describes", repair };
    }),
  ];
}

/** Invariant 12: the manifest can be read, and the segments that it names exist. */
function segmentProblems(
  { partition }: DirectoryPlace,
  { isPointerDamaged, segments }: DirectoryContents,
): DirectoryProblem[] {
  const key = shownKey(pointerKey(partition));
  if (isPointerDamaged) return [{ invariant: 12, key, problem: "the pointer can't be read" }];
  return segments.flatMap(({ summary, problem }) =>
    problem === undefined
      ? []
      : [{ invariant: 12, key, problem: `the segment of ${summary.first} and later: ${problem}` }],
  );
}

/** Invariant 11: the manifest's summary of a segment matches its content. */
async function summaryProblems(
  forge: Forge,
  directory: DirectoryPlace,
  { segments }: DirectoryContents,
): Promise<DirectoryProblem[]> {
  const { partition, layout } = directory;
  const { columns } = await loadSegments(
    forge,
    directory,
    segments.map(({ summary }) => summary),
  );
  return [...columns].flatMap(([summary, column]) => {
    const rows: { bytes: Buffer }[] = [];
    const { first } = summary;
    walk(layout, { first, end: Number.POSITIVE_INFINITY, tail: [] }, column, ({ bytes, at }) => {
      rows.push({ bytes: bytes.subarray(at, at + layout.length(bytes, at)) });
    });
    const { counts, newest } = summaryOf(layout, rows);
    if (newest === summary.newest && counts.join() === summary.counts.join()) return [];
    const problem = `the summary of the segment of ${first} and later is not what it holds`;
    return [{ invariant: 11, key: shownKey(pointerKey(partition)), problem }];
  });
}

/** The same set of entries, and each as its item says, with the item's version. */
async function entryProblems(
  forge: Forge,
  { layout, source, name }: DirectoryPlace,
  { entries }: DirectoryContents,
  invariant: number,
): Promise<EntryProblem[]> {
  const problems: EntryProblem[] = [];
  const tell = (id: number, problem: string, isAhead = false) =>
    problems.push({ invariant, key: `${name} ${id}`, problem, id, isAhead });
  const last = Math.max(await source.lastId(forge), ...[...entries.keys()].slice(-1));
  const known = new Set<number>();
  for (let first = 0; first <= last; first += layout.span) {
    for (const row of await source.read(forge, first, first + layout.span)) {
      known.add(row.id);
      const entry = entries.get(row.id);
      if (entry === undefined) tell(row.id, "has no entry");
      else if (!isSame(layout, entry, row)) {
        const isAhead = entry.version > row.bytes.readUInt32BE(layout.versionAt);
        tell(row.id, "has an entry that is not what its item says", isAhead);
      }
    }
  }
  for (const id of entries.keys()) if (!known.has(id)) tell(id, "has an entry, and is not there");
  return problems;
}

/** Activity has a writer of its own, which follows within seconds. */
function isSame(
  { activity }: EntryLayout,
  entry: { readonly bytes: Buffer; readonly text?: Buffer },
  row: SourceRow,
): boolean {
  const [one, other] = [entry.bytes, row.bytes].map((bytes) => {
    const copy = Buffer.from(bytes);
    return activity === undefined ? copy : copy.fill(0, activity.at, activity.at + activity.length);
  });
  const isSameText = row.text === undefined || entry.text?.equals(row.text) === true;
  return one !== undefined && other !== undefined && one.equals(other) && isSameText;
}

/** Invariant 12: the manifest names each segment of a list index, or a sweep will look at it. */
async function checkUnnamedColumns(forge: Forge, directory: DirectoryPlace): Promise<Finding[]> {
  const { partition } = directory;
  const listed: Item[] = [];
  for (const prefix of segmentPrefixes)
    listed.push(...(await forge.table.queryAll({ pk: partition, prefix })));
  const pointer = await readPointer(forge, directory);
  if (pointer.isDamaged === true) return [];
  const named = namedColumns(partition, pointer);
  const unnamed = listed.filter(({ sk }) => !named.has(sk));
  if (unnamed.length === 0) return [];
  const due = await listDue<SegmentSweep>(forge, sweepKind);
  const noted = new Set(due.filter((one) => one.partition === partition).flatMap(({ keys }) => keys));
  return unnamed
    .filter(({ sk }) => !noted.has(sk))
    .map((item) => forgotten(12, shownKey(item), (on) => sweepSegmentsLater(on, directory, [item.sk])));
}

export const directoryChecks: Checks = {
  table: [
    (forge) => checkDirectory(forge, repositoryDirectory, 2),
    (forge) => checkDirectory(forge, userDirectory, 10),
    (forge) => checkUnnamedColumns(forge, repositoryDirectory),
    (forge) => checkUnnamedColumns(forge, userDirectory),
  ],
  live: [
    (forge, { repository }) => checkDirectory(forge, issueDirectory(repository.id), 10),
    (forge, { repository }) => checkUnnamedColumns(forge, issueDirectory(repository.id)),
  ],
};
