import { z } from "zod";
import type { JobKinds } from "#core/jobs/job";
import { runJob } from "#core/jobs/run";
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
