import { isForgeError } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import { changeIssue } from "../../issue/change/change.ts";
import { findIssueForJob } from "../../issue/removal/purge.ts";
import type { TimelineEntry } from "../comment.table.ts";
import { planRemoval } from "./remove.ts";

/** Removes a comment, for the purge of its author (B-14); does nothing when it is gone. */
export async function purgeComment(
  forge: Forge,
  entry: Pick<TimelineEntry, "repositoryId" | "issueNumber" | "id">,
): Promise<void> {
  const access = await findIssueForJob(forge, entry.repositoryId);
  if (access === undefined) return;
  try {
    await changeIssue(forge, access, entry.issueNumber, (issue) => planRemoval(forge, issue, entry.id));
  } catch (error) {
    if (!isForgeError(error, "not-found")) throw error;
  }
}
