import type { BlobListing } from "../blobs.ts";
import { segmentPrefixes } from "../directory/directory.table.ts";
import { issueDirectory } from "../directory/issues.ts";
import { readPointer } from "../directory/pointer.ts";
import { namedColumns, type SegmentSweep, sweepKind, sweepSegmentsLater } from "../directory/sweep.ts";
import type { DirectoryPlace } from "../directory/view.ts";
import { listDue } from "../due.ts";
import type { Forge } from "../forge.ts";
import { layerFiles, readGraphState } from "../git/commit-graph/graph.table.ts";
import {
  type LayerSweep,
  layerGraceMs,
  layerSweepKind,
  sweepLayersLater,
} from "../git/commit-graph/sweep-graph.ts";
import { type PackSweep, packGraceMs, packSweepKind, sweepLater } from "../git/maintain/sweep-packs.ts";
import { MissingRefs } from "../git/refs/load-segments.ts";
import { gitPartition } from "../git/refs/refs.table.ts";
import { readRoot } from "../git/refs/snapshot.ts";
import {
  namedKeys,
  type RefSegmentSweep,
  segmentSweepKind,
  sweepRefSegmentsLater,
} from "../git/refs/sweep.ts";
import { namedPacks } from "../git/shared-packs.ts";
import type { Item } from "../table/write.ts";
import { type Finding, shownKey } from "./finding.ts";
import type { RepositoryFacts } from "./repository-facts.ts";

/** A thing without a name and without a scheduled look at it: nothing would ever remove it. */
const forgotten = (invariant: number, key: string, later: (forge: Forge) => Promise<void>): Finding => ({
  invariant,
  key,
  problem: "is named by nothing, and no sweep is to look at it",
  remedy: "has it looked at once its grace period is over, and removed if nothing names it by then",
  repair: async (forge) => {
    await later(forge);
    return true;
  },
});

/** Invariant 12: the manifest names each segment of a list index, or a sweep will look at it. */
export async function checkUnnamedColumns(forge: Forge, directory: DirectoryPlace): Promise<Finding[]> {
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

/** Invariant 12, of a repository: its issues' directory and its refs. */
export async function checkUnnamedSegments(
  forge: Forge,
  { repository }: RepositoryFacts,
): Promise<Finding[]> {
  const ofIssues = await checkUnnamedColumns(forge, issueDirectory(repository.id));
  const ofCode = await unnamedRefSegments(forge, repository.id);
  const ofWiki = repository.wikiId === undefined ? [] : await unnamedRefSegments(forge, repository.wikiId);
  return [...ofIssues, ...ofCode, ...ofWiki];
}

async function unnamedRefSegments(forge: Forge, repositoryId: number): Promise<Finding[]> {
  const pk = gitPartition(repositoryId);
  const listed = [
    ...(await forge.table.queryAll({ pk, prefix: "S#" })),
    ...(await forge.table.queryAll({ pk, prefix: "SL#" })),
  ];
  const root = await readRoot(forge.table, repositoryId);
  if (listed.length === 0 || root === undefined) return [];
  const named = await namedKeys(forge.table, root).catch((error: unknown) => {
    if (error instanceof MissingRefs) return undefined; // told elsewhere
    throw error;
  });
  const unnamed = named === undefined ? [] : listed.filter(({ sk }) => !named.has(sk));
  if (unnamed.length === 0) return [];
  const due = await listDue<RefSegmentSweep>(forge, segmentSweepKind);
  const noted = new Set(due.filter((one) => one.repositoryId === repositoryId).flatMap(({ keys }) => keys));
  return unnamed
    .filter(({ sk }) => !noted.has(sk))
    .map((item) => forgotten(12, shownKey(item), (on) => sweepRefSegmentsLater(on, repositoryId, [item.sk])));
}

/**
 * Invariant 21: each object of a repository in the bucket is named, younger than its grace period, or due to be swept.
 * When ROOT is missing, nothing is named, and everything must stay.
 */
export async function checkUnnamedObjects(forge: Forge, { repository }: RepositoryFacts): Promise<Finding[]> {
  const { id, wikiId } = repository;
  const findings: Finding[] = [];
  for (const one of wikiId === undefined ? [id] : [id, wikiId]) {
    if ((await readRoot(forge.table, one)) === undefined) continue;
    findings.push(...(await unnamedPacks(forge, one)), ...(await unnamedLayers(forge, one)));
  }
  return findings;
}

async function unnamedPacks(forge: Forge, repositoryId: number): Promise<Finding[]> {
  const { table, blobs, clock } = forge;
  const prefix = `r/${repositoryId}/p/`;
  const old = await listOlder(blobs.list(prefix), clock.now() - packGraceMs);
  if (old.length === 0) return [];
  const named = await namedPacks(table, repositoryId);
  const idOf = (key: string) => key.slice(prefix.length).replace(/\.\w+$/, "");
  const unnamed = old.filter((key) => !named.has(idOf(key)));
  if (unnamed.length === 0) return [];
  const due = await listDue<PackSweep>(forge, packSweepKind);
  if (due.some((one) => one.repositoryId === repositoryId)) return [];
  return unnamed.map((key) => forgotten(21, key, (on) => sweepLater(on, repositoryId)));
}

async function unnamedLayers(forge: Forge, repositoryId: number): Promise<Finding[]> {
  const prefix = layerFiles(repositoryId);
  const old = await listOlder(forge.blobs.list(prefix), forge.clock.now() - layerGraceMs);
  if (old.length === 0) return [];
  const due = await listDue<LayerSweep>(forge, layerSweepKind);
  const noted = due.filter((one) => one.repositoryId === repositoryId).flatMap(({ layers }) => layers);
  const { layers } = await readGraphState(forge.table, repositoryId, { isConsistent: true });
  const known = new Set([...noted, ...layers.map(({ id }) => id)]);
  const idOf = (key: string) => key.slice(prefix.length).replace(/\.\w+$/, "");
  return old
    .filter((key) => !known.has(idOf(key)))
    .map((key) => forgotten(21, key, (on) => sweepLayersLater(on, repositoryId, [idOf(key)])));
}

async function listOlder(listing: AsyncIterable<BlobListing>, thanMs: number): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key, modified } of listing) if (modified.getTime() < thanMs) keys.push(key);
  return keys;
}
