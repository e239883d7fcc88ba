import { tmpdir } from "node:os";
import { randomId } from "../../ids.ts";
import { put, type Write } from "../../table.ts";
import { ingestPack } from "../ingest/ingest.ts";
import type { IngestedPack } from "../ingest/ingest-types.ts";
import { PackCaches, processPackCaches } from "../pack/pack-caches.ts";
import { packKey, sideKey } from "../pack/pack-files.ts";
import { openPackSet } from "../pack/pack-set.ts";
import { selectAll, writePack } from "../pack/pack-writer.ts";
import { type ManifestPack, packFileKey } from "../refs/pack-manifest.ts";
import type { Root } from "../refs/refs.table.ts";
import { changeRoot, type Doors, gitBytes, readRoot } from "../store.ts";
import { replacedPacks } from "./maintain.table.ts";
import { type ConsolidationBounds, planConsolidation } from "./plan-consolidation.ts";
import { longestUnnamedMs, sweepLater } from "./sweep-packs.ts";

/**
 * How a consolidation ended. `nothing`: the packs are few enough. `lost`: ROOT names other packs by now, or is gone;
 * what was written is removed again.
 */
export type ConsolidationOutcome = "consolidated" | "lost" | "nothing";

/** What a consolidation takes beside the repository. */
export interface ConsolidationOptions {
  /** Items of the transaction that changes the manifest, where the bytes of all packs become `totalBytes`. */
  extraWrites?(totalBytes: number): readonly Write[] | Promise<readonly Write[]>;
  readonly bounds?: ConsolidationBounds;
  readonly temporaryFolder?: string;
}

/**
 * Bounds of a consolidation's own caches: nobody will read its packs again, so they don't go into those of the process.
 * What is in these already is used.
 */
const cacheBounds = {
  fileBytes: 64 * 2 ** 20,
  blockBytes: 24 * 2 ** 20,
  linkBytes: 8 * 2 ** 20,
  baseBytes: 16 * 2 ** 20,
};

/**
 * Makes one pack of neighbors of the manifest that are small, of the bytes that they are stored in, and swaps it for
 * them by one write of ROOT that pushes may come before. The new pack is checked as a pushed one is: damage is not
 * copied. Old packs stay for those who read by an older ROOT, and for forks; a sweep removes them.
 */
export async function consolidate(
  doors: Doors,
  repositoryId: number,
  options: ConsolidationOptions = {},
): Promise<ConsolidationOutcome> {
  const root = await readRoot(doors, repositoryId);
  if (root === undefined || root.state !== "live") return "nothing";
  const run = planConsolidation(root.packs, repositoryId, options.bounds);
  if (run === undefined) return "nothing";
  const startedAt = doors.clock.now();
  const pack = await writeOne(doors, root, run, options.temporaryFolder ?? tmpdir());
  const merged = await upload(doors, repositoryId, pack).finally(() => pack.dispose());
  const isOver = () => doors.clock.now() - startedAt > longestUnnamedMs;
  const hasWon = await swap(doors, repositoryId, { run, merged, isOver }, options);
  if (hasWon) await sweepLater(doors, repositoryId);
  else await doors.blobs.remove([packKey(merged), sideKey(merged)]);
  const outcome = hasWon ? "consolidated" : "lost";
  const { objects, packBytes } = merged;
  doors.log.info("git:consolidated", { repositoryId, outcome, packs: run.length, objects, packBytes });
  return outcome;
}

/** Every object of some packs in one, in a temporary file. */
async function writeOne(
  { blobs }: Doors,
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

async function upload({ blobs }: Doors, repositoryId: number, pack: IngestedPack): Promise<ManifestPack> {
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
  /** So much time has passed that the new pack may have been swept. */
  isOver(): boolean;
}

/** Puts the new pack in the place of those that it was made of, if they still lie side by side. */
async function swap(
  doors: Doors,
  repositoryId: number,
  { run, merged, isOver }: Swap,
  { extraWrites }: ConsolidationOptions,
): Promise<boolean> {
  let hasLost = false;
  const { kind } = await changeRoot(doors, repositoryId, async (root) => {
    const at = root.packs.findIndex(({ id }) => id === run[0]?.id);
    const isThere = at >= 0 && run.every(({ id }, place) => root.packs[at + place]?.id === id);
    hasLost = !isThere || isOver();
    if (hasLost) return undefined;
    const packs = [...root.packs.slice(0, at), merged, ...root.packs.slice(at + run.length)];
    const replaced = replacedPacks(
      repositoryId,
      run.map(({ id }) => id),
      doors.clock.now(),
    );
    const others = (await extraWrites?.(gitBytes({ ...root, packs }))) ?? [];
    return { changes: { packs }, extraWrites: [put(replaced), ...others] };
  });
  return kind === "done" && !hasLost;
}
