import type { Forge } from "../../../forge.ts";
import { randomId } from "../../../ids.ts";
import type { CommitGraph } from "../../history/commit-graph/commit-graph.ts";
import type { GraphColumns } from "../../history/commit-graph/graph-columns.ts";
import { encodeGraphLayer, GraphLayer } from "../../history/commit-graph/graph-layer.ts";
import { planGraph, sizeOfGraph } from "../../history/commit-graph/plan-graph.ts";
import { History } from "../../history/history.ts";
import type { Pace } from "../../pack/entry-builder.ts";
import type { Root } from "../refs/refs.table.ts";
import { openRepository } from "../store.ts";
import { type GraphState, layerFileKey, readGraphState, replaceGraphState } from "./graph.table.ts";
import { leastObjects, leastPushes, loadGraph, objectsOf, rememberLayer } from "./load-graph.ts";
import { sweepLayersLater } from "./sweep-graph.ts";

type ExtendStores = Pick<Forge, "table" | "blobs" | "clock" | "log">;

/**
 * In commits of four parents at most. A graph of more would take too much memory (this one takes about 40 MB): it grows
 * no further.
 */
const mostCommits = 400_000;
const commitsPerStep = 50_000;
const msPerStep = 20_000;
/** A layer takes in the one below it unless that is this many times as large. */
const growth = 4;

/** Whether enough has come since the last work on the graph to make another one worthwhile. Two reads. */
export async function isGraphDue(stores: Pick<Forge, "table">, root: Root): Promise<boolean> {
  const state = await readGraphState(stores.table, root.repositoryId, { isConsistent: true });
  const fresh = objectsOf(root) - state.objects;
  return root.state === "live" && (fresh >= leastObjects || (fresh > 0 && root.v - state.v >= leastPushes));
}

/**
 * Adds commits that the graph lacks, at most 50,000 or for 20 s: one step of a job. A crash leaves an unnamed layer,
 * which a sweep removes after an hour; of two at the same time one is lost.
 */
export async function extendGraph(
  stores: ExtendStores,
  { repositoryId }: { readonly repositoryId: number },
): Promise<{ readonly done: true } | { readonly cursor: { readonly commits: number } }> {
  const state = await readGraphState(stores.table, repositoryId, { isConsistent: true });
  const repository = await openRepository(stores, repositoryId);
  if (repository === undefined) return { done: true };
  const graph = await loadGraph(stores, repositoryId, state);
  if (graph.layers.length < state.layers.length) return { cursor: { commits: graph.count } };
  const history = new History(await repository.packs(), {
    timeMs: Number.POSITIVE_INFINITY,
    readsAll: true,
  });
  const tips = repository.refs.entries.map(({ id, peeled }) => peeled ?? id);
  const room = Math.max(0, mostCommits - sizeOfGraph(graph));
  const bounds = { mostCommits: Math.min(commitsPerStep, room), timeMs: msPerStep };
  const { commits, isComplete } = await planGraph(history, graph, room === 0 ? [] : tips, bounds);
  const isLast = isComplete || sizeOfGraph(commits) >= room;
  const taken = commits.count;
  const { root } = repository;
  const next = isLast ? { v: root.v, objects: objectsOf(root) } : { v: state.v, objects: state.objects };
  const pace = (steps: number) => history.pace(steps);
  const isKept = await store(stores, repositoryId, { state, graph, commits, next, pace });
  const total = graph.count + taken;
  stores.log.info("git:graph-extended", { repositoryId, isKept, taken, commits: total, isLast });
  return isLast || !isKept ? { done: true } : { cursor: { commits: total } };
}

interface Extension {
  readonly state: GraphState;
  readonly graph: CommitGraph;
  /** New ones; those of replaced layers are added to them. */
  readonly commits: GraphColumns;
  readonly next: Pick<GraphState, "v" | "objects">;
  readonly pace: Pace;
}

/** Writes the layer, after a note of what to sweep later; false when another job extended the graph meanwhile. */
async function store(
  { table, blobs, clock }: ExtendStores,
  repositoryId: number,
  extension: Extension,
): Promise<boolean> {
  const { state, commits, next, pace } = extension;
  if (commits.count === 0) return table.write(replaceGraphState(repositoryId, state, { ...state, ...next }));
  const kept = await takeSmallLayers(extension);
  const id = randomId();
  const replaced = state.layers.slice(kept).map((layer) => layer.id);
  await sweepLayersLater({ table, clock }, repositoryId, [id, ...replaced]);
  const bytes = await encodeGraphLayer(commits, pace);
  await blobs.put(layerFileKey(repositoryId, id), bytes);
  const layers = [...state.layers.slice(0, kept), { id, commits: commits.count }];
  const isKept = await table.write(replaceGraphState(repositoryId, state, { ...next, layers }));
  if (isKept) rememberLayer(blobs, { id, layer: new GraphLayer(bytes), replaced });
  return isKept;
}

/** Adds the commits of the newest layers that are not much larger; answers how many layers stay. */
async function takeSmallLayers({ state, graph, commits, pace }: Extension): Promise<number> {
  let kept = state.layers.length;
  for (; kept > 0; kept--) {
    const below = graph.layers[kept - 1] as GraphLayer;
    if (below.count >= growth * commits.count) break;
    for (const entry of below.entries()) {
      commits.add(entry);
      const pause = pace(1 + entry.parents.length);
      if (pause !== undefined) await pause;
    }
  }
  return kept;
}
