import type { ScheduledEvent } from "aws-lambda";
import { sweepFiles, sweepLeft } from "#core/attachment/attachment";
import { sweepSegments } from "#core/directory/sweep";
import type { Forge } from "#core/forge";
import { sweepGraphLayers } from "#core/git/commit-graph/sweep-graph";
import { sweepDuePacks } from "#core/git/maintain/sweep-packs";
import { sweepRefLogs, sweepRefSegments } from "#core/git/refs/sweep";
import { findStalled, jobMessage } from "#core/jobs/job";
import { resend, send } from "#core/outbox";
import { startInspection } from "#core/repository/maintenance";
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
  packsSwept: sweepDuePacks,
  attachmentsSwept: sweepLeft,
  filesSwept: sweepFiles,
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

const begun = new WeakSet<Forge["table"]>();

/** What the schedule calls each minute: the tick, and once in a process a look whether the packs are being inspected. */
export async function everyMinute(forge: Forge): Promise<TickReport> {
  if (!begun.has(forge.table)) {
    try {
      await startInspection(forge);
      begun.add(forge.table);
    } catch (error) {
      forge.log.error("tick:inspection-not-started", { error });
    }
  }
  return tick(forge);
}

/** The scheduled function. */
export const handler = onLinkedForge((forge: Forge, _event: ScheduledEvent) => everyMinute(forge));
