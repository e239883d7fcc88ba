import { z } from "zod";
import { findJob, type JobKinds } from "#core/jobs/job";
import { runJob } from "#core/jobs/run";
import { inOwnersTurn } from "#core/jobs/turns";
import type { MessageWork } from "./worker.ts";

const jobMessage = z.looseObject({ jobId: z.string() });

/**
 * Messages of the kind `job`: works on the job for at most `budgetMs`, which must lie well below the worker's own time.
 * The rest continues with a message of its own; the tick starts a failed job again.
 */
export function jobWork(kinds: JobKinds, budgetMs: number): MessageWork<z.infer<typeof jobMessage>> {
  return {
    shape: jobMessage,
    async work(forge, { jobId }) {
      const { outcome, steps } = await runJob(forge, kinds, jobId, { budgetMs });
      forge.log.info("job:run", { jobId, outcome, steps });
      return undefined;
    },
  };
}

/** The same for the queue of jobs that take turns by owner. */
export function jobWorkInTurns(kinds: JobKinds, budgetMs: number): MessageWork<z.infer<typeof jobMessage>> {
  const { shape, work } = jobWork(kinds, budgetMs);
  return {
    shape,
    async work(forge, message, delivery) {
      const job = await findJob(forge, message.jobId);
      if (job === undefined) return undefined; // done
      return inOwnersTurn(forge, job, () => work(forge, message, delivery));
    },
  };
}
