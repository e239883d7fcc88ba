import { type Clock, nowSeconds } from "../clock.ts";
import type { Runner } from "./runner.table.ts";

const offlineAfterSeconds = 60;
const activeForSeconds = 10;

/** What a runner does, as far as it was heard of (semantics §60.4). */
export type RunnerStatus = "offline" | "idle" | "active";

/** Offline: nothing was heard for a minute. Active: it told of a job within ten seconds. */
export function runnerStatus(clock: Clock, { seenAt, activeAt }: Runner): RunnerStatus {
  const now = nowSeconds(clock);
  if (now - seenAt > offlineAfterSeconds) return "offline";
  return now - activeAt <= activeForSeconds ? "active" : "idle";
}
