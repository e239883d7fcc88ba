import type { Forge } from "../../../forge.ts";
import { randomId } from "../../../ids.ts";
import { type Due, dueWrite, findDue } from "../../../jobs/due.ts";
import { layerFileKey, readGraphState } from "./graph.table.ts";

/** Layers that an extension of a graph wrote or replaced: an hour later, unnamed ones are removed. */
export interface LayerSweep {
  readonly repositoryId: number;
  /** Their ids. */
  readonly layers: readonly string[];
}

export const layerSweepKind = "graph-layers";
/** How long readers that know an older state are given. */
export const layerGraceMs = 3_600_000;

/** Schedules a look at layers of a repository's graph in an hour, by their ids. */
export async function sweepLayersLater(
  { table, clock }: Pick<Forge, "table" | "clock">,
  repositoryId: number,
  layers: readonly string[],
): Promise<void> {
  const sweep: LayerSweep = { repositoryId, layers };
  const key = `${repositoryId}#${randomId()}`;
  await table.write(dueWrite(layerSweepKind, clock.now() + layerGraceMs, key, sweep));
}

/**
 * For the tick: removes layers that no state names, an hour after they were written or replaced. Answers how many
 * extensions. A frozen process may then name a layer that is gone: readers find it damaged, and it is made anew.
 */
export async function sweepGraphLayers(stores: Pick<Forge, "table" | "blobs" | "clock">): Promise<number> {
  const found = await findDue<LayerSweep>(stores, layerSweepKind);
  for (const due of found) await sweep(stores, due);
  return found.length;
}

async function sweep({ table, blobs }: Pick<Forge, "table" | "blobs">, due: Due<LayerSweep>): Promise<void> {
  const { repositoryId, layers } = due;
  const state = await readGraphState(table, repositoryId, { isConsistent: true });
  const named = new Set(state.layers.map(({ id }) => id));
  const unnamed = layers.filter((id) => !named.has(id));
  await blobs.remove(unnamed.map((id) => layerFileKey(repositoryId, id)));
  await table.removeAll([due]);
}
