import type { Lifecycle } from "../lifecycle/lifecycle.ts";

export const cronTaskLifecycle: Lifecycle = {
  noun: "cron-task",
  items: [{ at: "DUTIES / #", goes: "never: there is one" }],
};
