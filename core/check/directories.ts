import { type DirectoryContents, readContents } from "../directory/contents.ts";
import { entryKey, pointerKey } from "../directory/directory.table.ts";
import type { EntryLayout } from "../directory/entry-kind.ts";
import { rebuildDirectory } from "../directory/rebuild.ts";
import { summaryOf } from "../directory/rewrite.ts";
import { loadSegments } from "../directory/segments.ts";
import { walk } from "../directory/stretch.ts";
import type { DirectoryPlace, SourceRow } from "../directory/view.ts";
import type { Forge } from "../forge.ts";
import { type Finding, shownKey } from "./finding.ts";

/** What of a directory a finding is about, without what is the same for all of them. */
type DirectoryProblem = Pick<Finding, "invariant" | "key" | "problem">;

/**
 * A directory against the items that it is derived from: `invariant` is the one that asks for its entries to be equal
 * (2 or 10); 11 and 12 are those of pointer and segments. Every finding is mended by one rebuild.
 */
export async function checkDirectory(
  forge: Forge,
  directory: DirectoryPlace,
  invariant: number,
): Promise<Finding[]> {
  const contents = await readContents(forge, directory);
  const { problems, phantoms } = await entryProblems(forge, directory, contents, invariant);
  problems.unshift(
    ...segmentProblems(directory, contents),
    ...(await summaryProblems(forge, directory, contents)),
  );
  const repair = async (on: Forge) => {
    // A rebuild takes the tail for newer than what it reads; what is right of it comes back by the rebuild.
    await on.table.removeAll(phantoms.map((id) => entryKey(directory.parts, id)));
    await rebuildDirectory(on, directory);
  };
  const remedy = `writes the directory ${directory.name} anew from the items that it describes`;
  return problems.map((problem) => ({ ...problem, remedy, repair }));
}

/** Invariant 12: the pointer can be read, and what it names is there. */
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

/** Invariant 11: what the pointer says of a segment is what the segment holds. */
async function summaryProblems(
  forge: Forge,
  { partition, layout }: DirectoryPlace,
  { segments }: DirectoryContents,
): Promise<DirectoryProblem[]> {
  const { columns } = await loadSegments(
    forge,
    partition,
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

/** The same set of entries, and each as its item says, with the item's version; `phantoms` are entries of nothing. */
async function entryProblems(
  forge: Forge,
  directory: DirectoryPlace,
  { entries }: DirectoryContents,
  invariant: number,
): Promise<{ problems: DirectoryProblem[]; phantoms: number[] }> {
  const { layout, source, name } = directory;
  const problems: DirectoryProblem[] = [];
  const tell = (id: number, problem: string) => problems.push({ invariant, key: `${name} ${id}`, problem });
  const last = Math.max(await source.lastId(forge), ...[...entries.keys()].slice(-1));
  const known = new Set<number>();
  for (let first = 0; first <= last; first += layout.span) {
    for (const row of await source.read(forge, first, first + layout.span)) {
      known.add(row.id);
      const entry = entries.get(row.id);
      if (entry === undefined) tell(row.id, "has no entry");
      else if (!isSame(layout, entry, row)) tell(row.id, "has an entry that is not what its item says");
    }
  }
  const phantoms = [...entries.keys()].filter((id) => !known.has(id));
  for (const id of phantoms) tell(id, "has an entry, and is not there");
  return { problems, phantoms };
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
