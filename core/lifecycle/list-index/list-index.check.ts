import type { Forge } from "../../forge.ts";
import { listDue } from "../../jobs/due.ts";
import { type ListIndexContents, readContents } from "../../list-index/contents.ts";
import type { EntryLayout } from "../../list-index/entry-kind.ts";
import { manifestKey, segmentPrefixes } from "../../list-index/list-index.table.ts";
import { readManifest } from "../../list-index/manifest.ts";
import { walk } from "../../list-index/range.ts";
import { rebuildListIndex } from "../../list-index/rebuild.ts";
import { reindex } from "../../list-index/reindex.ts";
import { summaryOf } from "../../list-index/rewrite.ts";
import { loadSegments } from "../../list-index/segments.ts";
import { namedColumns, type SegmentSweep, sweepKind, sweepSegmentsLater } from "../../list-index/sweep.ts";
import type { ListIndexPlace, SourceRow } from "../../list-index/view.ts";
import { ownerIndex } from "../../owner/owner.index.ts";
import { repositoryIndex } from "../../repository/repository.index.ts";
import type { Item } from "../../table/write.ts";
import type { Check, Checks } from "../check/checks.ts";
import { type Finding, forgotten, type Repair, shownKey } from "../check/finding.ts";
import type { RepositoryFacts } from "../check/repository-facts.ts";
import type { TableFacts } from "../check/table-facts.ts";
import { indexesOfOwner, indexesOfRepository } from "./all-list-indexes.ts";

/** The part of a list index's finding that differs between findings. */
type ListIndexProblem = Pick<Finding, "invariant" | "key" | "problem">;

/** `isAhead`: the entry has a later version than its item. */
type EntryProblem = ListIndexProblem & { readonly id: number; readonly isAhead: boolean };

/**
 * Compares a list index with its items: `invariant` is the one that asks for equal entries (2 or 10); 11 and 12 are
 * those of manifest and segments. One rebuild mends the latter; wrong entries are rewritten one by one.
 */
async function checkListIndex(forge: Forge, index: ListIndexPlace, invariant: number): Promise<Finding[]> {
  const contents = await readContents(forge, index);
  const structural = [
    ...segmentProblems(index, contents),
    ...(await summaryProblems(forge, index, contents)),
  ];
  const rebuild: Repair = async (on) => {
    await rebuildListIndex(on, index);
    return true;
  };
  const ofEntries = await entryProblems(forge, index, contents, invariant);
  const remedy = `writes the list index ${index.name} anew from the items that it describes`;
  return [
    ...structural.map((problem): Finding => ({ ...problem, remedy, repair: rebuild })),
    ...ofEntries.map(({ id, isAhead, ...problem }): Finding => {
      const stored = contents.entries.get(id)?.bytes;
      // A rebuild brings what broken segments held.
      if (stored === undefined && structural.length > 0) return { ...problem, remedy, repair: rebuild };
      const told: Repair = (on) => reindex(on, index, id, stored);
      // A segment's entry with a later version than the item's would win over the delta.
      const repair: Repair = isAhead ? async (on) => (await told(on)) && rebuild(on) : told;
      return { ...problem, remedy: "writes the entry anew from the item that it describes", repair };
    }),
  ];
}

/** Invariant 12: the manifest can be read, and the segments that it names exist. */
function segmentProblems(
  { partition }: ListIndexPlace,
  { isManifestDamaged, segments }: ListIndexContents,
): ListIndexProblem[] {
  const key = shownKey(manifestKey(partition));
  if (isManifestDamaged) return [{ invariant: 12, key, problem: "the manifest can't be read" }];
  return segments.flatMap(({ summary, problem }) =>
    problem === undefined
      ? []
      : [{ invariant: 12, key, problem: `the segment of ${summary.first} and later: ${problem}` }],
  );
}

/** Invariant 11: the manifest's summary of a segment matches its content. */
async function summaryProblems(
  forge: Forge,
  index: ListIndexPlace,
  { segments }: ListIndexContents,
): Promise<ListIndexProblem[]> {
  const { partition, layout } = index;
  const { columns } = await loadSegments(
    forge,
    index,
    segments.map(({ summary }) => summary),
  );
  return [...columns].flatMap(([summary, column]) => {
    const rows: { bytes: Buffer }[] = [];
    const { first } = summary;
    walk(layout, { first, end: Number.POSITIVE_INFINITY, delta: [] }, column, ({ bytes, at }) => {
      rows.push({ bytes: bytes.subarray(at, at + layout.length(bytes, at)) });
    });
    const { counts, newest } = summaryOf(layout, rows);
    if (newest === summary.newest && counts.join() === summary.counts.join()) return [];
    const problem = `the summary of the segment of ${first} and later is not what it holds`;
    return [{ invariant: 11, key: shownKey(manifestKey(partition)), problem }];
  });
}

/** The same set of entries, and each as its item says, with the item's version. */
async function entryProblems(
  forge: Forge,
  { layout, source, name }: ListIndexPlace,
  { entries }: ListIndexContents,
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
async function checkUnnamedColumns(forge: Forge, index: ListIndexPlace): Promise<Finding[]> {
  const { partition } = index;
  const listed: Item[] = [];
  for (const prefix of segmentPrefixes)
    listed.push(...(await forge.table.queryAll({ pk: partition, prefix })));
  const manifest = await readManifest(forge, index);
  if (manifest.isDamaged === true) return [];
  const named = namedColumns(partition, manifest);
  const unnamed = listed.filter(({ sk }) => !named.has(sk));
  if (unnamed.length === 0) return [];
  const due = await listDue<SegmentSweep>(forge, sweepKind);
  const noted = new Set(due.filter((one) => one.partition === partition).flatMap(({ keys }) => keys));
  return unnamed
    .filter(({ sk }) => !noted.has(sk))
    .map((item) => forgotten(12, shownKey(item), (on) => sweepSegmentsLater(on, index, [item.sk])));
}

/** The same check of all list indexes of a repository. */
const ofEachIndex =
  (checkOne: (forge: Forge, index: ListIndexPlace) => Promise<Finding[]>): Check<RepositoryFacts> =>
  async (forge, { repository }) => {
    const findings: Finding[] = [];
    for (const index of indexesOfRepository(repository.id)) findings.push(...(await checkOne(forge, index)));
    return findings;
  };

const packageRowKind = "O#<owner>#PKG / N#<version>";
const packageManifestKind = "O#<owner>#PKGDIR / TP";

/** The same checks of the list indexes of owners, as far as they have anything. */
const ofEachOwner: Check<TableFacts> = async (forge, facts) => {
  const items = [...facts.all<Item>(packageRowKind), ...facts.all<Item>(packageManifestKind)];
  const ownerIds = new Set(items.map(({ pk }) => Number(pk.split("#")[1])));
  const findings: Finding[] = [];
  for (const index of [...ownerIds].flatMap(indexesOfOwner)) {
    findings.push(...(await checkListIndex(forge, index, 10)), ...(await checkUnnamedColumns(forge, index)));
  }
  return findings;
};

export const listIndexChecks: Checks = {
  reads: [packageRowKind, packageManifestKind],
  table: [
    (forge) => checkListIndex(forge, repositoryIndex, 2),
    (forge) => checkListIndex(forge, ownerIndex, 10),
    (forge) => checkUnnamedColumns(forge, repositoryIndex),
    (forge) => checkUnnamedColumns(forge, ownerIndex),
    ofEachOwner,
  ],
  live: [ofEachIndex((forge, index) => checkListIndex(forge, index, 10)), ofEachIndex(checkUnnamedColumns)],
};
