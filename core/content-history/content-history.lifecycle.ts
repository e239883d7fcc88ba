import type { Lifecycle } from "../lifecycle/lifecycle.ts";

export const contentHistoryLifecycle: Lifecycle = {
  noun: "content-history",
  items: [{ at: "I#<repository>.<number> / H#<comment>#<slot>" }],
};
