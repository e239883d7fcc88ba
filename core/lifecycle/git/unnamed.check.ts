import type { BlobListing } from "../../blobs.ts";
import type { Forge } from "../../forge.ts";
import { layerFiles, readGraphState } from "../../git/store/commit-graph/graph.table.ts";
import {
  type LayerSweep,
  layerGraceMs,
  layerSweepKind,
  sweepLayersLater,
} from "../../git/store/commit-graph/sweep-graph.ts";
import {
  type PackSweep,
  packGraceMs,
  packSweepKind,
  sweepLater,
} from "../../git/store/maintain/sweep-packs.ts";
import { MissingRefs } from "../../git/store/refs/load-segments.ts";
import { gitPartition } from "../../git/store/refs/refs.table.ts";
import { readRoot } from "../../git/store/refs/snapshot.ts";
import {
  namedKeys,
  type RefSegmentSweep,
  segmentSweepKind,
  sweepRefSegmentsLater,
} from "../../git/store/refs/sweep.ts";
import { namedPacks } from "../../git/store/shared-packs.ts";
import { listDue } from "../../jobs/due.ts";
import type { Check } from "../check/checks.ts";
import { type Finding, forgotten, shownKey } from "../check/finding.ts";
import type { RepositoryFacts } from "../check/repository-facts.ts";

/** Invariant 12, of a repository's refs and of its wiki's. */
async function checkUnnamedRefs(forge: Forge, { repository }: RepositoryFacts): Promise<Finding[]> {
  const { id, wikiId } = repository;
  const ofCode = await unnamedRefSegments(forge, id);
  return wikiId === undefined ? ofCode : [...ofCode, ...(await unnamedRefSegments(forge, wikiId))];
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
async function checkUnnamedObjects(forge: Forge, { repository }: RepositoryFacts): Promise<Finding[]> {
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

export const unnamedChecks: readonly Check<RepositoryFacts>[] = [checkUnnamedRefs, checkUnnamedObjects];
