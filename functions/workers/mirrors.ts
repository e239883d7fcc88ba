import { lazy } from "#core/lazy";
import { computeBeside } from "../compute-beside.ts";
import { onLinkedForge } from "../linked-forge.ts";
import { jobKinds } from "./job-kinds.ts";
import { jobWork } from "./jobs.ts";
import { createWorker } from "./worker.ts";

/** The function's own time is 15 minutes: a step that begins by then, a slice of a fetch, has the rest. */
const jobBudgetMs = 8 * 60_000;

/** Works on the queue `mirrors`: syncs of mirrors, repositories that are brought over, bundles, and copies elsewhere. */
export const mirrorWorker = createWorker("mirrors", { job: jobWork(jobKinds, jobBudgetMs) });

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
