import { loadedJob } from "../jobs/job.ts";
import type { Lifecycle } from "../lifecycle/lifecycle.ts";
import { mirrorChecks } from "./mirror.check.ts";
import { syncKind } from "./sync-job.ts";

export const mirrorLifecycle: Lifecycle = {
  noun: "mirror",
  items: [{ at: "R#<repository> / MIRROR" }],
  jobs: { [syncKind]: loadedJob(async () => (await import("./sync.ts")).syncMirror) },
  checks: mirrorChecks,
};
