import type { Lifecycle } from "../lifecycle/lifecycle.ts";
import { importKind } from "./complete.ts";
import { takeBundle } from "./take-bundle.ts";

export const importLifecycle: Lifecycle = {
  noun: "import",
  items: [{ at: "R#<repository> / IMPORT#<user>", goes: "eight days after it was opened" }],
  objects: ["q/imports/<repository>/<user>/<upload>/<part>"],
  jobs: { [importKind]: takeBundle },
};
