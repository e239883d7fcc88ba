import type { ObjectId } from "../../format/object-format.ts";
import type { CommitGraph } from "./commit-graph.ts";
import type { GraphLayer } from "./graph-layer.ts";

/** A layer, and the first number of its commits when those of all layers are numbered through. */
interface NumberedLayer {
  readonly layer: GraphLayer;
  readonly base: number;
}

/**
 * How many commits some commits of a graph lead to, themselves included. `pace` is called with the number of steps, and
 * a promise from it is awaited.
 */
export async function countReachable(
  graph: CommitGraph,
  from: Iterable<ObjectId>,
  options: { readonly isFirstParent: boolean; readonly pace: (steps: number) => Promise<void> | undefined },
): Promise<number> {
  const layers = numbered(graph);
  const marks = new Uint8Array(graph.count);
  const stack: number[] = [];
  let count = 0;
  let steps = 1;
  const mark = (source: Buffer, start: number) => {
    steps += 1;
    for (const { layer, base } of layers) {
      const position = layer.positionAt(source, start);
      if (position < 0) continue;
      if (marks[base + position] === 1) return;
      marks[base + position] = 1;
      count += 1;
      stack.push(base + position);
      return;
    }
  };
  for (const id of from) mark(Buffer.from(id, "hex"), 0);
  for (let number = stack.pop(); number !== undefined; number = stack.pop()) {
    const pause = options.pace(steps);
    steps = 1;
    if (pause !== undefined) await pause;
    const { layer, base } = layers.find((one) => one.base <= (number as number)) as NumberedLayer;
    layer.eachParent(number - base, mark, options.isFirstParent ? 1 : Number.POSITIVE_INFINITY);
  }
  return count;
}

/** Newest first, the order of the search. */
function numbered({ layers }: CommitGraph): NumberedLayer[] {
  let base = 0;
  return layers
    .map((layer) => {
      base += layer.count;
      return { layer, base: base - layer.count };
    })
    .reverse();
}
