import { defined } from "../defined.ts";
import { notFound } from "../errors.ts";
import { outbox, send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import { update } from "../table/write.ts";
import { type CronTaskRuns, cronTaskRunsKey } from "./cron-task.table.ts";

/** The cron tasks: the service runs them by itself every minute. Each is bounded, and may be missed or done twice. */
export const cronTaskNames = [
  "resend_events",
  "restart_jobs",
  "update_mirrors",
  "start_schedules",
  "look_at_runs",
  "sweep_directories",
  "sweep_refs",
  "sweep_ref_logs",
  "sweep_commit_graphs",
  "sweep_packs",
  "sweep_attachments",
  "sweep_files",
  "sweep_artifacts",
  "sweep_lfs",
  "sweep_packages",
] as const;
export type CronTaskName = (typeof cronTaskNames)[number];

/** The kind of the message that makes a worker run a cron task out of turn. */
export const cronTaskMessageKind = "cron-task";

const everyMs = 60_000;

/**
 * A cron task: when it last succeeded (absent before the first time), when it is due next, both in milliseconds, and
 * how often it has succeeded.
 */
export interface CronTask {
  readonly name: CronTaskName;
  readonly everyMs: number;
  readonly lastAt?: number;
  readonly nextAt: number;
  readonly times: number;
}

/** All cron tasks, in one read. */
export async function listCronTasks({ table, clock }: Forge): Promise<readonly CronTask[]> {
  const runs = await table.get<CronTaskRuns>(cronTaskRunsKey);
  const now = clock.now();
  return cronTaskNames.map((name) => {
    const lastAt = runs?.[`${name}At`];
    const nextAt = Math.max(now, (lastAt ?? 0) + everyMs);
    return {
      name,
      everyMs,
      nextAt,
      times: runs?.[`${name}Times`] ?? 0,
      ...defined({ lastAt }),
    };
  });
}

/** Makes a worker run a cron task now, whenever its next turn is. NotFound for an unknown name. */
export async function requestCronTask(forge: Forge, name: string): Promise<void> {
  const cronTask = cronTaskNames.find((one) => one === name);
  if (cronTask === undefined)
    throw notFound(`there is no task ${name}: GET /admin/cron lists those there are`);
  const entry = outbox(forge, "repository-events", { kind: cronTaskMessageKind, cronTask });
  await forge.table.transact([entry.write]);
  await send(forge, [entry]);
}

/** Records that these cron tasks have just succeeded, in one write. */
export async function noteRuns({ table, clock }: Forge, names: readonly CronTaskName[]): Promise<void> {
  if (names.length === 0) return;
  const now = clock.now();
  const set = Object.fromEntries(names.map((name) => [`${name}At`, now]));
  const add = Object.fromEntries(names.map((name) => [`${name}Times`, 1]));
  await table.write(update(cronTaskRunsKey, { set: { ...set, _v: 1 }, add }));
}
