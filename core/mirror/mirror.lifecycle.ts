import type { Lifecycle } from "../lifecycle/lifecycle.ts";
import { mirrorChecks } from "./mirror.check.ts";
import { syncKind, syncMirror } from "./sync.ts";

export const mirrorLifecycle: Lifecycle = {
  noun: "mirror",
  items: [{ at: "R#<repository> / MIRROR" }],
  jobs: { [syncKind]: syncMirror },
  checks: mirrorChecks,
};
