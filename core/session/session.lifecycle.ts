import type { Lifecycle } from "../lifecycle/lifecycle.ts";

export const sessionLifecycle: Lifecycle = {
  noun: "session",
  items: [{ at: "U#<user> / SESSION#<hash>" }],
};
