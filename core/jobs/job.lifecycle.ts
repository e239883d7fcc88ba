import type { Lifecycle } from "../lifecycle/lifecycle.ts";
import { jobChecks } from "./job.check.ts";

export const jobLifecycle: Lifecycle = {
  noun: "jobs",
  items: [
    { at: "JOB#<part> / <job>", goes: "when it is done" },
    { at: "TURN#<account> / #", goes: "when the turn is over, after a day at the latest" },
    { at: "TURN#<account> / WAITS#<job>", goes: "when it is the job's turn, after a day at the latest" },
  ],
  checks: jobChecks,
};
