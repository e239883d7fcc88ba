import { loadedJob } from "../jobs/job.ts";
import type { Lifecycle } from "../lifecycle/lifecycle.ts";
import { importKind } from "./complete.ts";

export const importLifecycle: Lifecycle = {
  noun: "import",
  items: [{ at: "R#<repository> / IMPORT#<user>", goes: "eight days after it was opened" }],
  objects: ["q/imports/<repository>/<user>/<upload>/<part>"],
  jobs: { [importKind]: loadedJob(async () => (await import("./take-bundle.ts")).takeBundle) },
};
