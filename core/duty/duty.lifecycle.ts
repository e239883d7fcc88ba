import type { Lifecycle } from "../lifecycle/lifecycle.ts";

export const dutyLifecycle: Lifecycle = {
  noun: "duty",
  items: [{ at: "DUTIES / #", goes: "never: there is one" }],
};
