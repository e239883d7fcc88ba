import type { Lifecycle } from "../lifecycle/lifecycle.ts";

export const milestoneLifecycle: Lifecycle = {
  noun: "milestone",
  items: [{ at: "R#<repository> / MS#<milestone>", counter: "milestone" }],
};
