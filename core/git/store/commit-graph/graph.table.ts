import { absent, equals } from "../../../table/condition.ts";
import { type Item, put, type TableKey, type Write } from "../../../table/write.ts";
import type { Table } from "../../../table.ts";
import { gitPartition } from "../refs/refs.table.ts";

/** The key of a repository's commit graph. */
export const graphKey = (repositoryId: number): TableKey => ({ pk: gitPartition(repositoryId), sk: "GRAPH" });

/** One stored layer. */
export interface StoredLayer {
  /** Random: the layer's file is immutable. */
  readonly id: string;
  readonly commits: number;
}

/** The layers of the graph, and the state of the repository at the last work on it. Derived: may be lost. */
export interface GraphState {
  /** Edition: +1 for every write; 0 when nothing is stored yet. */
  readonly e: number;
  /** The version of the refs that it covers; the number of objects in all packs then. */
  readonly v: number;
  readonly objects: number;
  /** Oldest first. */
  readonly layers: readonly StoredLayer[];
}

const noGraph: GraphState = { e: 0, v: 0, objects: 0, layers: [] };

/** The stored state of a repository's graph. A state of another shape counts as none. */
export async function readGraphState(
  table: Table,
  repositoryId: number,
  options: { readonly isConsistent: boolean },
): Promise<GraphState> {
  const item = await table.get<GraphState & Item>(graphKey(repositoryId), options);
  if (item === undefined) return noGraph;
  const { e, v, objects, layers, _v } = item;
  return _v === 1 ? { e, v, objects, layers } : { ...noGraph, e };
}

/** Replaces the state, unless somebody did since it was read. */
export const replaceGraphState = (
  repositoryId: number,
  { e }: GraphState,
  next: Omit<GraphState, "e">,
): Write => put({ ...graphKey(repositoryId), ...next, e: e + 1, _v: 1 }, e === 0 ? absent : equals({ e }));

/** The folder of a repository's layers. */
export const layerFiles = (repositoryId: number): string => `r/${repositoryId}/g/`;
/** The file of a layer. */
export const layerFileKey = (repositoryId: number, id: string): string =>
  `${layerFiles(repositoryId)}${id}.graph`;
