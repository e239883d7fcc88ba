import type { Forge } from "../../forge.ts";
import { randomId } from "../../ids.ts";
import type { ObjectFormat } from "../object/object-format.ts";
import type { Root } from "../refs/refs.table.ts";
import { openRepository } from "../store.ts";
import { History } from "../walk/history.ts";
import type { CommitGraph } from "./commit-graph.ts";
import {
  type GraphState,
  layerFileKey,
  readGraphState,
  replaceGraphState,
  type StoredLayer,
} from "./graph.table.ts";
import { encodeGraphLayer, type GraphEntry, GraphLayer } from "./graph-layer.ts";
import { leastObjects, leastPushes, loadGraph, objectsOf, rememberLayer } from "./load-graph.ts";
import { planGraph } from "./plan-graph.ts";
import { sweepLayersLater } from "./sweep-graph.ts";

type ExtendDoors = Pick<Forge, "table" | "blobs" | "clock" | "log">;

/** A graph of more commits would take too much memory: it grows no further (about 40 MB). */
const mostCommits = 400_000;
const commitsPerStep = 50_000;
const msPerStep = 20_000;
/** A layer takes in the one below it unless that is so many times as large. */
const growth = 4;

/** Whether so much came since the graph was worked on that it is worth while again. Two reads. */
export async function isGraphDue(doors: Pick<Forge, "table">, root: Root): Promise<boolean> {
  const state = await readGraphState(doors.table, root.repositoryId, { isConsistent: true });
  const fresh = objectsOf(root) - state.objects;
  return root.state === "live" && (fresh >= leastObjects || (fresh > 0 && root.v - state.v >= leastPushes));
}

/**
 * Takes commits into the graph that it lacks, at most 50,000 or for 20 s: one step of a job. A crash leaves a layer
 * that nobody names and that is swept in an hour; of two at a time one is lost.
 */
export async function extendGraph(
  doors: ExtendDoors,
  { repositoryId }: { readonly repositoryId: number },
): Promise<{ readonly done: true } | { readonly cursor: { readonly commits: number } }> {
  const state = await readGraphState(doors.table, repositoryId, { isConsistent: true });
  const repository = await openRepository(doors, repositoryId);
  if (repository === undefined) return { done: true };
  const graph = await loadGraph(doors, repositoryId, state);
  if (graph.layers.length < state.layers.length) return { cursor: { commits: graph.count } };
  const history = new History(await repository.packs(), {
    timeMs: Number.POSITIVE_INFINITY,
    readsAll: true,
  });
  const tips = repository.refs.entries.map(({ id, peeled }) => peeled ?? id);
  const room = Math.max(0, mostCommits - graph.count);
  const bounds = { mostCommits: Math.min(commitsPerStep, room), timeMs: msPerStep };
  const { entries, isComplete } = await planGraph(history, graph, room === 0 ? [] : tips, bounds);
  const isLast = isComplete || entries.length >= room;
  const { root } = repository;
  const next = isLast ? { v: root.v, objects: objectsOf(root) } : { v: state.v, objects: state.objects };
  const isKept = await store(doors, repositoryId, { state, graph, entries, next });
  const commits = graph.count + entries.length;
  doors.log.info("git:graph-extended", { repositoryId, isKept, taken: entries.length, commits, isLast });
  return isLast || !isKept ? { done: true } : { cursor: { commits } };
}

interface Extension {
  readonly state: GraphState;
  readonly graph: CommitGraph;
  readonly entries: readonly GraphEntry[];
  readonly next: Pick<GraphState, "v" | "objects">;
}

/** Writes the layer, and before it what has to be swept later; false when another extended the graph meanwhile. */
async function store(
  { table, blobs, clock }: ExtendDoors,
  repositoryId: number,
  { state, graph, entries, next }: Extension,
): Promise<boolean> {
  if (entries.length === 0) return table.write(replaceGraphState(repositoryId, state, { ...state, ...next }));
  const { kept, all } = withSmallLayers(state.layers, graph, entries);
  const id = randomId();
  const replaced = state.layers.slice(kept).map((layer) => layer.id);
  await sweepLayersLater({ table, clock }, repositoryId, [id, ...replaced]);
  const bytes = encodeGraphLayer(formatOf(entries), all);
  await blobs.put(layerFileKey(repositoryId, id), bytes);
  const layers = [...state.layers.slice(0, kept), { id, commits: all.length }];
  const isKept = await table.write(replaceGraphState(repositoryId, state, { ...next, layers }));
  if (isKept) rememberLayer(blobs, id, new GraphLayer(bytes));
  return isKept;
}

const formatOf = ([first]: readonly GraphEntry[]): ObjectFormat =>
  first?.id.length === 64 ? "sha256" : "sha1";

/** The new commits together with those of the newest layers that are not much larger; how many layers stay. */
function withSmallLayers(
  stored: readonly StoredLayer[],
  graph: CommitGraph,
  entries: readonly GraphEntry[],
): { kept: number; all: readonly GraphEntry[] } {
  let kept = stored.length;
  let all = [...entries];
  for (; kept > 0; kept--) {
    const below = graph.layers[kept - 1] as GraphLayer;
    if (below.count >= growth * all.length) break;
    all = [...below.entries(), ...all];
  }
  return { kept, all };
}
