import { z } from "zod";
import { startDueSchedules } from "#core/actions/schedule/due-schedules";
import { startDueLooks } from "#core/actions/watchdog/looks";
import { sweepArtifacts } from "#core/artifact/sweep";
import { sweepFiles, sweepLeftFiles } from "#core/attachment/sweep";
import { type CronTaskName, cronTaskNames, noteRuns } from "#core/cron-task/cron-task";
import { resendOverdue, send } from "#core/events/outbox";
import type { Forge } from "#core/forge";
import { sweepGraphLayers } from "#core/git/store/commit-graph/sweep-graph";
import { sweepDuePacks } from "#core/git/store/maintain/sweep-packs";
import { sweepRefLogs, sweepRefSegments } from "#core/git/store/refs/sweep";
import { sweepImports } from "#core/import/sweep";
import { findStalled, jobMessage } from "#core/jobs/job";
import { sweepLfs } from "#core/lfs/sweep";
import { sweepSegments } from "#core/list-index/sweep";
import { startDueMirrors } from "#core/mirror/due-mirrors";
import { sweepPackageObjects } from "#core/package/contents";
import { sweepLeftPackageFiles } from "#core/package/left-files";
import { startDuePushMirrors } from "#core/push-mirror/start";
import type { MessageWork } from "./worker.ts";

/** How many things each cron task found to do; a failed task is absent. */
export type CronTaskReport = Partial<Record<CronTaskName, number>>;

const cronTasks: Readonly<Record<CronTaskName, (forge: Forge) => Promise<number>>> = {
  resend_events: (forge) => resendOverdue(forge),
  restart_jobs: restartJobs,
  update_mirrors: async (forge) => (await startDueMirrors(forge)) + (await startDuePushMirrors(forge)),
  start_schedules: startDueSchedules,
  look_at_runs: startDueLooks,
  sweep_directories: sweepSegments,
  sweep_refs: sweepRefSegments,
  sweep_ref_logs: sweepRefLogs,
  sweep_commit_graphs: sweepGraphLayers,
  sweep_packs: sweepDuePacks,
  sweep_attachments: sweepLeftFiles,
  sweep_files: async (forge) => (await sweepFiles(forge)) + (await sweepImports(forge)),
  sweep_artifacts: sweepArtifacts,
  sweep_lfs: sweepLfs,
  sweep_packages: async (forge) => (await sweepLeftPackageFiles(forge)) + (await sweepPackageObjects(forge)),
};

/** Runs these cron tasks once, all when none are named. One that fails is logged and does not stop the others. */
export async function runCronTasks(
  forge: Forge,
  names: readonly CronTaskName[] = cronTaskNames,
): Promise<CronTaskReport> {
  const done = await Promise.all(
    names.map(async (name): Promise<[CronTaskName, number][]> => {
      try {
        return [[name, await cronTasks[name](forge)]];
      } catch (error) {
        forge.log.error("tick:cron-task-failed", { cronTask: name, error });
        return [];
      }
    }),
  );
  const report: CronTaskReport = Object.fromEntries(done.flat());
  await note(forge, report);
  return report;
}

async function note(forge: Forge, report: CronTaskReport): Promise<void> {
  try {
    await noteRuns(
      forge,
      cronTaskNames.filter((name) => report[name] !== undefined),
    );
  } catch (error) {
    forge.log.error("tick:runs-not-noted", { error });
  }
}

async function restartJobs(forge: Forge): Promise<number> {
  const jobs = await findStalled(forge);
  await send(forge, jobs.map(jobMessage));
  return jobs.length;
}

/** Runs a cron task that an administrator asked for. A failed one is not repeated before its next turn. */
export const cronTaskWork: MessageWork<{ readonly cronTask: CronTaskName }> = {
  shape: z.object({ cronTask: z.enum(cronTaskNames) }),
  async work(forge, { cronTask }) {
    await runCronTasks(forge, [cronTask]);
    return undefined;
  },
};
