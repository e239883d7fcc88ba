import type { Milestone } from "#core/milestone/milestone.table";
import { optionalTimestamp, timestamp } from "../../http/timestamps.ts";
import type { MilestoneJson } from "./schema.ts";

/** A milestone as the API shows it. */
export const presentMilestone = (milestone: Milestone): MilestoneJson => ({
  id: milestone.id,
  title: milestone.title,
  description: milestone.description,
  state: milestone.isClosed ? "closed" : "open",
  open_issues: milestone.openIssues,
  closed_issues: milestone.closedIssues,
  created_at: timestamp(milestone.createdAt),
  updated_at: optionalTimestamp(milestone.updatedAt),
  closed_at: optionalTimestamp(milestone.closedAt),
  due_on: optionalTimestamp(milestone.dueAt),
});
