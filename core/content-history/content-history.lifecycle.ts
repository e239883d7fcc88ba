import type { Lifecycle } from "../lifecycle/lifecycle.ts";
import { contentHistoryChecks } from "./content-history.check.ts";

export const contentHistoryLifecycle: Lifecycle = {
  noun: "content-history",
  items: [{ at: "I#<repository>.<number> / H#<comment>#<slot>" }],
  checks: contentHistoryChecks,
};
