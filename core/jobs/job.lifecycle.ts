import type { Lifecycle } from "../lifecycle/lifecycle.ts";
import { jobChecks } from "./job.check.ts";

export const jobLifecycle: Lifecycle = {
  noun: "jobs",
  items: [{ at: "JOB#<part> / <job>", goes: "when it is done" }],
  checks: jobChecks,
};
