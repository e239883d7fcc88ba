import type { Lifecycle } from "../lifecycle/lifecycle.ts";

export const usageLifecycle: Lifecycle = {
  noun: "usage",
  items: [{ at: "ACTIVE / <day>", goes: "after 200 days" }],
};
