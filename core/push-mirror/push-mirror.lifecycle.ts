import type { Lifecycle } from "../lifecycle/lifecycle.ts";
import { pushMirrorChecks } from "./push-mirror.check.ts";
import { pushMirrorKind, runPushMirror } from "./run.ts";

export const pushMirrorLifecycle: Lifecycle = {
  noun: "push-mirror",
  items: [{ at: "R#<repository> / PUSHMIRROR#<mirror>" }],
  jobs: { [pushMirrorKind]: runPushMirror },
  checks: pushMirrorChecks,
};
