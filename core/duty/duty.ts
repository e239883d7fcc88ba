import { defined } from "../defined.ts";
import { notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { outbox, send } from "../outbox.ts";
import { update } from "../table/write.ts";
import { type DutyRuns, dutyRunsKey } from "./duty.table.ts";

/** The cron tasks: the service runs them by itself every minute. Each is bounded, and may be missed or done twice. */
export const dutyNames = [
  "resend_events",
  "restart_jobs",
  "sweep_directories",
  "sweep_refs",
  "sweep_ref_logs",
  "sweep_commit_graphs",
  "sweep_packs",
  "sweep_attachments",
  "sweep_files",
] as const;
export type DutyName = (typeof dutyNames)[number];

/** The kind of the message that makes a worker run a cron task out of turn. */
export const dutyMessageKind = "duty";

const everyMs = 60_000;

/**
 * A cron task: when it last succeeded (absent before the first time), when it is due next, both in milliseconds, and
 * how often it has succeeded.
 */
export interface Duty {
  readonly name: DutyName;
  readonly everyMs: number;
  readonly lastAt?: number;
  readonly nextAt: number;
  readonly times: number;
}

/** All cron tasks, in one read. */
export async function listDuties({ table, clock }: Forge): Promise<readonly Duty[]> {
  const runs = await table.get<DutyRuns>(dutyRunsKey);
  const now = clock.now();
  return dutyNames.map((name) => {
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
export async function requestDuty(forge: Forge, name: string): Promise<void> {
  const duty = dutyNames.find((one) => one === name);
  if (duty === undefined) throw notFound(`there is no task ${name}: GET /admin/cron lists those there are`);
  const entry = outbox(forge, "repository-events", { kind: dutyMessageKind, duty });
  await forge.table.transact([entry.write]);
  await send(forge, [entry]);
}

/** Records that these cron tasks have just succeeded, in one write. */
export async function noteRuns({ table, clock }: Forge, names: readonly DutyName[]): Promise<void> {
  if (names.length === 0) return;
  const now = clock.now();
  const set = Object.fromEntries(names.map((name) => [`${name}At`, now]));
  const add = Object.fromEntries(names.map((name) => [`${name}Times`, 1]));
  await table.write(update(dutyRunsKey, { set: { ...set, _v: 1 }, add }));
}
