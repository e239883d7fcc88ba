import type { ObjectId } from "../../format/object-format.ts";
import type { GraphCommit, GraphLayer } from "./graph-layer.ts";

/**
 * Facts about commits that are known without reading them, derived from the packs. All ancestors of a commit in it are
 * in it, too; of other commits it says nothing. Commits never change, so it can lack some but never be out of date.
 */
export class CommitGraph {
  /** Oldest first: parents are in the same layer or an older one. */
  readonly layers: readonly GraphLayer[];

  constructor(layers: readonly GraphLayer[]) {
    this.layers = layers;
  }

  static readonly empty = new CommitGraph([]);

  /** Number of commits. */
  get count(): number {
    return this.layers.reduce((sum, { count }) => sum + count, 0);
  }

  /** Of all commits together. */
  get parentCount(): number {
    return this.layers.reduce((sum, { parentCount }) => sum + parentCount, 0);
  }

  find(id: ObjectId): GraphCommit | undefined {
    for (let at = this.layers.length - 1; at >= 0; at--) {
      const found = (this.layers[at] as GraphLayer).find(id);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}
