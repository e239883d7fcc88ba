import type { Lifecycle } from "../lifecycle/lifecycle.ts";

export const branchProtectionLifecycle: Lifecycle = {
  noun: "branch-protection",
  items: [{ at: "R#<repository> / BP#<rule>", counter: "branch-protection" }],
};
