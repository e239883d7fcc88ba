import { nowSeconds } from "../../clock.ts";
import type { Forge } from "../../forge.ts";
import { findDue } from "../../jobs/due.ts";
import { type DueSchedule, scheduleDueKind } from "./plans.table.ts";

/** The kind of the message that a repository's schedules are due. */
export const scheduleMessageKind = "run-schedules";

/**
 * For the tick: has workers run the schedules that are due, a bounded number; answers how many. Those that are not due
 * are not looked at, unless Actions are switched off for all: then each goes.
 */
export async function startDueSchedules(forge: Forge): Promise<number> {
  const isOff = forge.config.disabledRepoUnits.includes("repo.actions");
  const due = await findDue<DueSchedule>(forge, scheduleDueKind, isOff ? { untilMs: lastMs } : {});
  const messages = due.map(({ repositoryId, at }) => ({
    ...{ kind: scheduleMessageKind, repositoryId, at },
    // The same for two ticks at once, and another for the next: a worker that failed is asked again.
    eventId: `${scheduleMessageKind}-${repositoryId}-${at}-${Math.floor(nowSeconds(forge.clock) / 60)}`,
  }));
  if (messages.length > 0) await forge.queues.send("repository-events", messages);
  return due.length;
}

/** Beyond all that is planned. */
const lastMs = 10 ** 15;
