import type { Lifecycle } from "../lifecycle/lifecycle.ts";
import { partitionBeside } from "../lifecycle/remove-page.ts";
import { commitStatusChecks } from "./commit-status.check.ts";
import { statusPartition } from "./commit-status.table.ts";

export const commitStatusLifecycle: Lifecycle = {
  noun: "commit-status",
  items: [{ at: "R#<repository>#S / <commit>#" }, { at: "R#<repository>#S / <commit>#<index>" }],
  ends: { repository: { statuses: partitionBeside(statusPartition) } },
  checks: commitStatusChecks,
};
