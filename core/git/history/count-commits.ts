import type { ObjectId } from "../format/object-format.ts";
import { countReachable } from "./commit-graph/count-reachable.ts";
import type { History } from "./history.ts";

/** How many commits there are; when the time ran out, how many were seen. */
export interface CommitCount {
  readonly count: number;
  readonly isExact: boolean;
}

/**
 * How many commits the tips lead to, themselves included: commits that the commit graph lacks are read, the others only
 * marked. Gives up after `countMs`.
 */
export async function countCommits(
  history: History,
  tips: readonly ObjectId[],
  { isFirstParent, countMs }: { readonly isFirstParent: boolean; readonly countMs: number },
): Promise<CommitCount> {
  await history.openGraph();
  const { graph } = history;
  const until = history.elapsedMs + countMs;
  const read = new Set<ObjectId>();
  const known = new Set<ObjectId>();
  const stack = [...tips];
  for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
    if (read.has(id) || known.has(id)) continue;
    if (graph.find(id) !== undefined) {
      known.add(id);
      continue;
    }
    read.add(id);
    if (read.size % 256 === 0 && history.elapsedMs > until) return { count: read.size, isExact: false };
    const { parents } = await history.links(id);
    const pause = history.pace();
    if (pause !== undefined) await pause;
    stack.push(...(isFirstParent ? parents.slice(0, 1) : parents));
  }
  const marked = await countReachable(graph, known, { isFirstParent, pace: (steps) => history.pace(steps) });
  return { count: read.size + marked, isExact: true };
}
