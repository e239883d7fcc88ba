import type { ScheduledEvent } from "aws-lambda";
import type { Forge } from "#core/forge";
import { startInspection } from "#core/repository/maintenance";
import { onLinkedForge } from "../linked-forge.ts";
import { type DutyReport, doDuties } from "./duties.ts";

/** Does every duty once; answers how much each found to do. */
export async function tick(forge: Forge): Promise<DutyReport> {
  const report = await doDuties(forge);
  forge.log.debug("tick:done", report);
  return report;
}

const begun = new WeakSet<Forge["table"]>();

/** What the schedule calls each minute: the tick, and once in a process a look whether the packs are being inspected. */
export async function everyMinute(forge: Forge): Promise<DutyReport> {
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
