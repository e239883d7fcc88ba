import { absent, equals, type Item, put, type Table, type TableKey, type Write } from "../../table.ts";
import { gitPartition } from "../refs/refs.table.ts";

/** Where a repository's commit graph is found. */
export const graphKey = (repositoryId: number): TableKey => ({ pk: gitPartition(repositoryId), sk: "GRAPH" });

/** One stored layer. */
export interface StoredLayer {
  /** Random: the layer's file is immutable. */
  readonly id: string;
  readonly commits: number;
}

/** Which layers make the graph, and what the repository was like when it was last worked on. Derived: may be lost. */
export interface GraphState {
  /** Edition: +1 for every write; 0 where nothing is stored yet. */
  readonly e: number;
  /** Version of the refs that it takes in; objects of all packs then. */
  readonly v: number;
  readonly objects: number;
  /** Oldest first. */
  readonly layers: readonly StoredLayer[];
}

const noGraph: GraphState = { e: 0, v: 0, objects: 0, layers: [] };

/** What is stored of a repository's graph. Another shape than this code's counts as nothing. */
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

/** Replaces it, if nobody did since it was read. */
export const replaceGraphState = (
  repositoryId: number,
  { e }: GraphState,
  next: Omit<GraphState, "e">,
): Write => put({ ...graphKey(repositoryId), ...next, e: e + 1, _v: 1 }, e === 0 ? absent : equals({ e }));

/** Where the files of a repository's layers lie. */
export const layerFiles = (repositoryId: number): string => `r/${repositoryId}/g/`;
/** The file of a layer. */
export const layerFileKey = (repositoryId: number, id: string): string =>
  `${layerFiles(repositoryId)}${id}.graph`;
