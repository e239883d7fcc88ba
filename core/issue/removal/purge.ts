import { accessMode, unitNames } from "../../access/modes.ts";
import type { RepositoryAccess } from "../../access/repository-access.ts";
import { isForgeError } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import type { ClearIssue } from "../../lifecycle/lifecycle.ts";
import { type Repository, repositoryKey } from "../../repository/repository.table.ts";
import { assigneeWrites } from "../assignees/assignees.ts";
import { changeIssue, commitIssueChange, getIssue } from "../change/change.ts";
import type { Issue } from "../issue.table.ts";
import type { IssueAddress } from "../placed-issues.ts";
import { planRemoval } from "./remove.ts";

/** A repository as a job works on it, without anybody's rights. Undefined when it is gone, or about to be. */
export async function findIssueForJob(
  { table }: Forge,
  repositoryId: number,
): Promise<Pick<RepositoryAccess, "repository" | "rights"> | undefined> {
  const repository = await table.get<Repository>(repositoryKey(repositoryId));
  if (repository?.state !== "live") return undefined;
  return { repository, rights: { base: accessMode.owner, enabledUnits: new Set(unitNames) } };
}

/**
 * Removes an issue or pull with all its content, for the purge of its author (B-14): hidden by one transaction, then
 * removed item by item. May be repeated, also after a crash.
 */
export async function purgeIssue(forge: Forge, clearIssue: ClearIssue, address: IssueAddress): Promise<void> {
  const { repositoryId, number } = address;
  const access = await findIssueForJob(forge, repositoryId);
  if (access === undefined) return;
  try {
    await commitIssueChange(forge, access, async () =>
      planRemoval(forge, await getIssue(forge, access, number)),
    );
  } catch (error) {
    if (!isForgeError(error, "not-found")) throw error;
  }
  while (!(await clearIssue(forge, address)));
}

/** Takes a user off an issue or pull who is gone, or may not be assigned to it any more. */
export async function unassignUser(
  forge: Forge,
  { repositoryId, number }: Pick<Issue, "repositoryId" | "number">,
  userId: number,
): Promise<void> {
  const access = await findIssueForJob(forge, repositoryId);
  if (access === undefined) return;
  try {
    await changeIssue(forge, access, number, async (issue) => {
      if (!issue.assigneeIds.includes(userId)) return undefined;
      const after = { ...issue, assigneeIds: issue.assigneeIds.filter((id) => id !== userId) };
      return { issue: after, entries: [], events: [], writes: assigneeWrites(issue, after) };
    });
  } catch (error) {
    if (!isForgeError(error, "not-found")) throw error;
  }
}
