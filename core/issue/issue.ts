import type { RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import type { Forge } from "../forge.ts";
import { nextId, nextIssueNumber } from "../ids.ts";
import { absent } from "../table/condition.ts";
import { put } from "../table/write.ts";
import { requireUnblocked } from "./blocks.ts";
import { commitIssueChange, getIssue } from "./change/change.ts";
import { entryIds } from "./change/timeline.ts";
import { issueTextProblem } from "./edit.ts";
import type { Issue } from "./issue.table.ts";
import { addIssueLabels } from "./labels/labels.ts";
import { bareIssue, type NewIssue, noWriterParts, planNewIssue, writerPartsOf } from "./new-issue.ts";
import { isIssueWriter } from "./rights.ts";

/**
 * Opens an issue under the next number (D-NUMBER). 422 when a text is over its bound, two labels exclude each other
 * (D-LABEL), or a user can't be an assignee; Forbidden when the owner blocks the caller: then no number is used up.
 */
export async function createIssue(
  forge: Forge,
  access: RepositoryAccess,
  given: NewIssue,
  actor: Actor,
): Promise<Issue> {
  const problem = issueTextProblem(given);
  if (problem !== undefined) throw problem;
  const { id: repositoryId, ownerId } = access.repository;
  await requireUnblocked(forge, access, actor, ownerId);
  const parts = isIssueWriter(access.rights, "issue")
    ? await writerPartsOf(forge, access, given, actor)
    : noWriterParts;
  const [id, number] = await Promise.all([
    nextId(forge.table, "issue"),
    nextIssueNumber(forge.table, repositoryId),
  ]);
  const { labelOrder, laterLabelIds, ...ofWriter } = parts;
  const issue = {
    ...bareIssue(forge, { kind: "issue", repositoryId, id, number }, given, actor),
    ...ofWriter,
  };
  const drawIds = entryIds(forge);
  await commitIssueChange(forge, access, async () => ({
    change: await planNewIssue(forge, issue, { actor, at: issue.createdAt, entryIds: drawIds, labelOrder }),
    issueWrite: put(issue, absent),
  }));
  if (laterLabelIds.length === 0) return issue;
  await addIssueLabels(forge, access, number, laterLabelIds, { actor });
  return getIssue(forge, access, number);
}
