import { setTimeout as delay } from "node:timers/promises";
import type { Forge } from "../forge.ts";
import { findJob } from "./job.ts";

const firstPauseMs = 50;
const longestPauseMs = 1_000;

/** Waits until a job is over, as long as the setting says (D-MIGRATE, D-SYNC); answers whether it is. */
export async function waitForJob(forge: Forge, jobId: string): Promise<boolean> {
  const deadline = performance.now() + forge.config.mirrorWaitSeconds * 1000;
  for (
    let pauseMs = firstPauseMs;
    performance.now() < deadline;
    pauseMs = Math.min(2 * pauseMs, longestPauseMs)
  ) {
    if ((await findJob(forge, jobId)) === undefined) return true;
    await delay(pauseMs);
  }
  return false;
}
