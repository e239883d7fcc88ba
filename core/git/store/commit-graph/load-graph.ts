import { BlobMissing } from "../../../blobs/bucket.ts";
import type { Blobs } from "../../../blobs.ts";
import type { Forge } from "../../../forge.ts";
import { lazyFor } from "../../../lazy.ts";
import { CommitGraph } from "../../history/commit-graph/commit-graph.ts";
import { DamagedLayer, GraphLayer } from "../../history/commit-graph/graph-layer.ts";
import { History, type HistoryOptions } from "../../history/history.ts";
import { processPackCaches } from "../../pack/pack-caches.ts";
import type { Root } from "../refs/refs.table.ts";
import type { OpenRepository } from "../store.ts";
import { type GraphState, layerFileKey, readGraphState, replaceGraphState } from "./graph.table.ts";

/** The stores that a graph is read from. */
export type GraphStores = Pick<Forge, "table" | "blobs" | "log">;

/** Layers by id, beside the side files of the packs that they derive from: they never change. */
const cacheOf = lazyFor((_blobs: Blobs) => processPackCaches.files.ofKind<GraphLayer>());

/**
 * Keeps a layer that was just written, in place of those that it took in: only earlier readers of `GRAPH` ask for
 * those.
 */
export function rememberLayer(
  blobs: Blobs,
  { id, layer, replaced }: { id: string; layer: GraphLayer; replaced: readonly string[] },
): void {
  for (const old of replaced) cacheOf(blobs).delete(old);
  cacheOf(blobs).set(id, layer);
}

/** A repository of fewer objects and pushes has no graph, because it would not pay. */
export const leastObjects = 2_000;
export const leastPushes = 64;

/** The history of an open repository, for answers and not for a push's checks: its walks use the commit graph. */
export async function openHistory(
  stores: GraphStores,
  repository: OpenRepository,
  options: Omit<HistoryOptions, "graph"> = {},
): Promise<History> {
  const { root } = repository;
  const isSmall = root.v < leastPushes && objectsOf(root) < leastObjects;
  const graph = isSmall ? {} : { graph: () => findGraph(stores, root.repositoryId) };
  return new History(await repository.packs(), { ...options, ...graph });
}

/** Objects of all packs. */
export const objectsOf = ({ packs }: Root): number => packs.reduce((sum, pack) => sum + pack.objects, 0);

/** The graph for a reader. Unreadable layers are logged and left out. */
export async function findGraph(stores: GraphStores, repositoryId: number): Promise<CommitGraph> {
  try {
    const state = await readGraphState(stores.table, repositoryId, { isConsistent: false });
    return await loadGraph(stores, repositoryId, state);
  } catch (error) {
    stores.log.warn("git:graph-unavailable", { repositoryId, error });
    return CommitGraph.empty;
  }
}

/**
 * The layers of a state up to the first missing or damaged one, on which later ones rest. Those are logged and struck
 * from the state, so that the next push makes them anew.
 */
export async function loadGraph(
  stores: GraphStores,
  repositoryId: number,
  state: GraphState,
): Promise<CommitGraph> {
  const loaded = await Promise.all(state.layers.map(({ id }) => loadLayer(stores, repositoryId, id)));
  const broken = loaded.findIndex((layer) => layer instanceof Error);
  const whole = loaded.slice(0, broken < 0 ? loaded.length : broken) as GraphLayer[];
  if (broken >= 0) {
    const layers = state.layers.slice(0, broken);
    stores.log.error("git:graph-damaged", {
      repositoryId,
      layer: state.layers[broken]?.id,
      error: loaded[broken],
    });
    await stores.table.write(replaceGraphState(repositoryId, state, { v: 0, objects: 0, layers }));
  }
  return new CommitGraph(whole);
}

async function loadLayer(
  { blobs }: Pick<GraphStores, "blobs">,
  repositoryId: number,
  id: string,
): Promise<GraphLayer | Error> {
  const known = cacheOf(blobs).get(id);
  if (known !== undefined) return known;
  try {
    const layer = new GraphLayer(await blobs.get(layerFileKey(repositoryId, id)));
    cacheOf(blobs).set(id, layer);
    return layer;
  } catch (error) {
    if (error instanceof DamagedLayer || error instanceof BlobMissing) return error;
    throw error;
  }
}
