import type { Lifecycle } from "../lifecycle/lifecycle.ts";

export const commitReferenceLifecycle: Lifecycle = {
  noun: "commit-reference",
  items: [{ at: "I#<repository>.<number> / K#<commit>" }],
};
