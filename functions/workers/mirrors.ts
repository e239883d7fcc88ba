import { lazy } from "#core/lazy";
import { computeBeside } from "../compute-beside.ts";
import { onLinkedForge } from "../linked-forge.ts";
import { jobKinds } from "./job-kinds.ts";
import { jobWorkInTurns } from "./jobs.ts";
import { createWorker } from "./worker.ts";

/**
 * How long a job keeps its place; then it goes to the end of the queue, behind what others wait for. A step that has
 * begun by then, a slice of a fetch, ends first: the function's 15 minutes leave room for it.
 */
const jobBudgetMs = 60_000;

/** Works on the queue `mirrors`: syncs of mirrors, repositories that are brought over, bundles, and copies elsewhere. */
export const mirrorWorker = createWorker("mirrors", { job: jobWorkInTurns(jobKinds, jobBudgetMs) });

/** Packs are checked on a thread: a job's lease and its message are renewed meanwhile. */
const threads = lazy(() => computeBeside(import.meta.url));

/** The function behind the queue `mirrors`. */
export const handler = onLinkedForge<
  Parameters<typeof mirrorWorker>[1],
  Awaited<ReturnType<typeof mirrorWorker>>
>(async (forge, event) => {
  await threads();
  return mirrorWorker(forge, event);
});
