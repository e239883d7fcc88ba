import type { Lifecycle } from "../lifecycle/lifecycle.ts";

/** Archives that were made of late. */
export const codeLifecycle: Lifecycle = {
  noun: "code",
  items: [{ at: "ARC#<repository> / <archive>", goes: "after a day; nobody reaches it meanwhile" }],
  objects: ["archives/<repository>/<archive>"],
};
