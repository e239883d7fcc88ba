import type { ScheduledEvent } from "aws-lambda";
import { raiseDataFormat } from "#core/data-format";
import type { Forge } from "#core/forge";
import { startResealing } from "#core/hook/reseal";
import { lazyFor } from "#core/lazy";
import { startCounting } from "#core/quota/count-usage";
import { startInspection } from "#core/repository/maintenance";
import { onLinkedForge } from "../linked-forge.ts";
import { type CronTaskReport, runCronTasks } from "./cron-tasks.ts";

/** Runs every cron task once; answers how much each found to do. */
export async function tick(forge: Forge): Promise<CronTaskReport> {
  const report = await runCronTasks(forge);
  forge.log.debug("tick:done", report);
  return report;
}

/**
 * Things that must always exist, each with the function that makes it unless it exists or is not needed: jobs, and the
 * mark of a table's format, which says whether the last of them is needed.
 */
const standingJobs = {
  format: ({ table }: Forge) => raiseDataFormat(table),
  inspection: startInspection,
  resealing: startResealing,
  counting: startCounting,
};
type StandingJob = keyof typeof standingJobs;

const begun = lazyFor((_table: Forge["table"]) => new Set<StandingJob>());

/** The schedule calls this each minute: the tick, and once in a process a look whether the permanent jobs exist. */
export async function everyMinute(forge: Forge): Promise<CronTaskReport> {
  for (const [name, start] of Object.entries(standingJobs) as [StandingJob, typeof startInspection][]) {
    if (begun(forge.table).has(name)) continue;
    try {
      await start(forge);
      begun(forge.table).add(name);
    } catch (error) {
      forge.log.error("tick:job-not-started", { job: name, error });
    }
  }
  return tick(forge);
}

/** The scheduled function. */
export const handler = onLinkedForge((forge: Forge, _event: ScheduledEvent) => everyMinute(forge));
