import { loadedJob } from "../jobs/job.ts";
import type { Lifecycle } from "../lifecycle/lifecycle.ts";
import { pushMirrorChecks } from "./push-mirror.check.ts";
import { pushMirrorKind } from "./push-mirror.table.ts";

export const pushMirrorLifecycle: Lifecycle = {
  noun: "push-mirror",
  items: [{ at: "R#<repository> / PUSHMIRROR#<mirror>" }],
  jobs: { [pushMirrorKind]: loadedJob(async () => (await import("./run.ts")).runPushMirror) },
  checks: pushMirrorChecks,
};
