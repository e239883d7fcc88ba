import { type DirectoryContents, readContents } from "../directory/contents.ts";
import { pointerKey } from "../directory/directory.table.ts";
import type { EntryLayout } from "../directory/entry-kind.ts";
import { rebuildDirectory } from "../directory/rebuild.ts";
import { retell } from "../directory/retell.ts";
import { summaryOf } from "../directory/rewrite.ts";
import { loadSegments } from "../directory/segments.ts";
import { walk } from "../directory/stretch.ts";
import type { DirectoryPlace, SourceRow } from "../directory/view.ts";
import type { Forge } from "../forge.ts";
import { type Finding, type Repair, shownKey } from "./finding.ts";

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
