import { isForgeError } from "../errors.ts";
import type { Forge } from "../forge.ts";
import * as issues from "../issue/issue.ts";
import type { TimelineEntry } from "./comment.table.ts";
import { planRemoval } from "./remove.ts";

/** Removes a comment, for the purge of its author (B-14); does nothing when it is gone. */
export async function purge(
  forge: Forge,
  entry: Pick<TimelineEntry, "repositoryId" | "issueNumber" | "id">,
): Promise<void> {
  const access = await issues.findForJob(forge, entry.repositoryId);
  if (access === undefined) return;
  try {
    await issues.change(forge, access, entry.issueNumber, (issue) => planRemoval(forge, issue, entry.id));
  } catch (error) {
    if (!isForgeError(error, "not-found")) throw error;
  }
}
