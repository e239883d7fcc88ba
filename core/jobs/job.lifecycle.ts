import type { Lifecycle } from "../lifecycle/lifecycle.ts";

export const jobLifecycle: Lifecycle = {
  noun: "jobs",
  items: [{ at: "JOB#<part> / <job>", goes: "when it is done" }],
};
