import { tmpdir } from "node:os";
import { randomId } from "../../../ids.ts";
import { put, type Write } from "../../../table/write.ts";
import { ingestPack } from "../../ingest/ingest.ts";
import type { IngestedPack } from "../../ingest/ingest-types.ts";
import { PackCaches, processPackCaches } from "../../pack/pack-caches.ts";
import { packKey, sideKey } from "../../pack/pack-files.ts";
import { selectAll } from "../../pack/pack-selection.ts";
import { openPackSet } from "../../pack/pack-set.ts";
import { writePack } from "../../pack/pack-writer.ts";
import { type ManifestPack, packFileKey } from "../pack-manifest.ts";
import type { Root } from "../refs/refs.table.ts";
import { changeRoot, gitBytes, readRoot, type Stores } from "../store.ts";
import { replacedPacks } from "./maintain.table.ts";
import { type ConsolidationBounds, planConsolidation } from "./plan-consolidation.ts";
import { longestUnnamedMs, sweepLater } from "./sweep-packs.ts";

/**
 * The end of a consolidation. `nothing`: the packs are few enough. `lost`: ROOT names other packs by now, or is gone;
 * the written pack is removed again.
 */
export type ConsolidationOutcome = "consolidated" | "lost" | "nothing";

/** Options of a consolidation. */
export interface ConsolidationOptions {
  /** Further items of the transaction that changes the manifest, given by how many bytes all packs grow. */
  extraWrites?(grownBytes: number): readonly Write[] | Promise<readonly Write[]>;
  readonly bounds?: ConsolidationBounds;
  readonly temporaryFolder?: string;
}

/**
 * Bounds of a consolidation's own caches: nobody will read its packs again, so they don't enter those of the process.
 * It does use what is in these already.
 */
const cacheBounds = {
  fileBytes: 64 * 2 ** 20,
  blockBytes: 24 * 2 ** 20,
  linkBytes: 8 * 2 ** 20,
  baseBytes: 16 * 2 ** 20,
};

/**
 * Makes one pack of small neighbors in the manifest, out of their stored bytes, and swaps it for them by one write of
 * ROOT; pushes may come before that. The new pack is checked like a pushed one: damage is not copied. Old packs stay
 * for readers of an older ROOT, and for forks; a sweep removes them.
 */
export async function consolidate(
  stores: Stores,
  repositoryId: number,
  options: ConsolidationOptions = {},
): Promise<ConsolidationOutcome> {
  const root = await readRoot(stores, repositoryId);
  if (root === undefined || root.state !== "live") return "nothing";
  const run = planConsolidation(root.packs, repositoryId, options.bounds);
  if (run === undefined) return "nothing";
  const startedAt = stores.clock.now();
  const pack = await writeOne(stores, root, run, options.temporaryFolder ?? tmpdir());
  const merged = await upload(stores, repositoryId, pack).finally(() => pack.dispose());
  const isOver = () => stores.clock.now() - startedAt > longestUnnamedMs;
  const hasWon = await swap(stores, repositoryId, { run, merged, isOver }, options);
  if (hasWon) await sweepLater(stores, repositoryId);
  else await stores.blobs.remove([packKey(merged), sideKey(merged)]);
  const outcome = hasWon ? "consolidated" : "lost";
  const { objects, packBytes } = merged;
  stores.log.info("git:consolidated", { repositoryId, outcome, packs: run.length, objects, packBytes });
  return outcome;
}

/** Every object of some packs in one, in a temporary file. */
async function writeOne(
  { blobs }: Stores,
  { objectFormat }: Root,
  run: readonly ManifestPack[],
  temporaryFolder: string,
): Promise<IngestedPack> {
  const packSet = await openPackSet(blobs, objectFormat, run, new PackCaches(cacheBounds, processPackCaches));
  const bytes = writePack({ packSet, selection: selectAll(packSet), useOfsDelta: true });
  const result = await ingestPack(bytes, { format: objectFormat, temporaryFolder });
  if (!result.ok) throw new Error(`the packs can't be put together: ${result.reason.message}`);
  return result.pack;
}

async function upload({ blobs }: Stores, repositoryId: number, pack: IngestedPack): Promise<ManifestPack> {
  const id = randomId();
  const entry: ManifestPack = {
    id,
    key: packFileKey(repositoryId, id),
    packBytes: pack.packBytes,
    sideBytes: pack.side.length,
    objects: pack.objectCount,
    source: "consolidate",
    repositoryId,
  };
  await blobs.putFile(packKey(entry), pack.packPath);
  await blobs.put(sideKey(entry), pack.side);
  return entry;
}

interface Swap {
  readonly run: readonly ManifestPack[];
  readonly merged: ManifestPack;
  /** Whether so much time has passed that the new pack may have been swept. */
  isOver(): boolean;
}

/** Replaces the packs by the one made of them, if they still lie side by side. */
async function swap(
  stores: Stores,
  repositoryId: number,
  { run, merged, isOver }: Swap,
  { extraWrites }: ConsolidationOptions,
): Promise<boolean> {
  let hasLost = false;
  const { kind } = await changeRoot(stores, repositoryId, async (root) => {
    const at = root.packs.findIndex(({ id }) => id === run[0]?.id);
    const isThere = at >= 0 && run.every(({ id }, place) => root.packs[at + place]?.id === id);
    hasLost = !isThere || isOver();
    if (hasLost) return undefined;
    const packs = [...root.packs.slice(0, at), merged, ...root.packs.slice(at + run.length)];
    const replaced = replacedPacks(
      repositoryId,
      run.map(({ id }) => id),
      stores.clock.now(),
    );
    const others = (await extraWrites?.(gitBytes({ ...root, packs }) - gitBytes(root))) ?? [];
    return { changes: { packs }, extraWrites: [put(replaced), ...others] };
  });
  return kind === "done" && !hasLost;
}
