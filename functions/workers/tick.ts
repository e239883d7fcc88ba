import type { ScheduledEvent } from "aws-lambda";
import { sweepSegments } from "#core/directory/sweep";
import type { Forge } from "#core/forge";
import { sweepGraphLayers } from "#core/git/commit-graph/sweep-graph";
import { sweepRefLogs, sweepRefSegments } from "#core/git/refs/sweep";
import { findStalled, jobMessage } from "#core/jobs/job";
import { resend, send } from "#core/outbox";
import { onLinkedForge } from "../linked-forge.ts";

/** How many things each duty found to do; a duty that failed is absent. */
export type TickReport = Partial<Record<keyof typeof duties, number>>;

/** What is done every minute. Each is bounded, and may be missed or done twice. */
const duties = {
  resent: (forge) => resend(forge),
  restarted: restartJobs,
  swept: sweepSegments,
  refsSwept: sweepRefSegments,
  logsSwept: sweepRefLogs,
  graphsSwept: sweepGraphLayers,
} satisfies Record<string, (forge: Forge) => Promise<number>>;

/** Does every duty once; one that fails is logged and does not keep the others from being done. */
export async function tick(forge: Forge): Promise<TickReport> {
  const done = await Promise.all(
    Object.entries(duties).map(async ([name, duty]) => {
      try {
        return [[name, await duty(forge)]];
      } catch (error) {
        forge.log.error("tick:duty-failed", { duty: name, error });
        return [];
      }
    }),
  );
  const report: TickReport = Object.fromEntries(done.flat());
  forge.log.debug("tick:done", report);
  return report;
}

async function restartJobs(forge: Forge): Promise<number> {
  const ids = await findStalled(forge);
  await send(forge, ids.map(jobMessage));
  return ids.length;
}

/** The scheduled function. */
export const handler = onLinkedForge((forge: Forge, _event: ScheduledEvent) => tick(forge));
