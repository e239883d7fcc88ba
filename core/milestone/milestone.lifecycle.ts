import type { Lifecycle } from "../lifecycle/lifecycle.ts";
import { milestoneChecks } from "./milestone.check.ts";

export const milestoneLifecycle: Lifecycle = {
  noun: "milestone",
  items: [{ at: "R#<repository> / MS#<milestone>", counter: "milestone" }],
  checks: milestoneChecks,
};
