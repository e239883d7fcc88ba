import type { JobKind } from "../jobs/job.ts";
import { compact } from "./internal/compaction.ts";
import { readManifest } from "./manifest.ts";
import { rebuildListIndex } from "./rebuild.ts";
import type { ListIndexPlace } from "./view.ts";

/** The list index of the name that stands in a job. Throws when there is none. */
export type FindListIndex = (name: string) => ListIndexPlace;

/** How often another compaction was faster than this run's. */
interface CompactionCursor {
  readonly lost: number;
}

const mostLost = 5;

/** Compacts a list index until its delta was taken in once: writes meanwhile wait for the next time. */
export const compactionJob = (find: FindListIndex): JobKind<{ readonly name: string }, CompactionCursor> => ({
  async step(forge, { name }, cursor = { lost: 0 }) {
    const { outcome, left } = await compact(forge, find(name));
    const lost = cursor.lost + (outcome === "lost" ? 1 : 0);
    const isDone = outcome === "lost" ? lost > mostLost : left === 0;
    return isDone ? { done: true } : { cursor: { lost } };
  },
});

/** Rebuilds a list index whose manifest can't be read. Nothing is lost, because it is derived from the items. */
export const rebuildJob = (find: FindListIndex): JobKind<{ readonly name: string }, never> => ({
  async step(forge, { name }) {
    const index = find(name);
    const { isDamaged } = await readManifest(forge, index);
    if (isDamaged === true) await rebuildListIndex(forge, index);
    return { done: true };
  },
});
