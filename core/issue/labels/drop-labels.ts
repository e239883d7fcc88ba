import { attempts } from "../../concurrency/attempts.ts";
import { conflict } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import { listFromIndex } from "../../list-index/list-index.ts";
import { rewriteIssue } from "../change/change.ts";
import { issueIndex } from "../issue.index.ts";
import { type Issue, issueKey } from "../issue.table.ts";

const issuesPerStep = 50;

/**
 * Takes meaningless labels off the issues of a repository, without timeline entries: one step of a job, which may be
 * repeated. Answers whether there may be more.
 */
export async function dropLabels(
  forge: Forge,
  repositoryId: number,
  labelIds: readonly number[],
): Promise<boolean> {
  if (labelIds.length === 0) return false;
  const { ids, total } = await listFromIndex(forge, issueIndex(repositoryId), {
    filter: { labelGroups: [labelIds] },
    sort: { by: "oldest" },
    page: 1,
    limit: issuesPerStep,
  });
  for (const number of ids) await dropFrom(forge, repositoryId, number, new Set(labelIds));
  return total > ids.length;
}

async function dropFrom(
  forge: Forge,
  repositoryId: number,
  number: number,
  dropped: ReadonlySet<number>,
): Promise<void> {
  for await (const _attempt of attempts()) {
    const issue = await forge.table.get<Issue>(issueKey(repositoryId, number));
    const labelIds = issue?.labelIds.filter((id) => !dropped.has(id));
    if (issue === undefined || labelIds?.length === issue.labelIds.length) return;
    const { committed } = await forge.table.transact(rewriteIssue(issue, { labelIds: labelIds ?? [] }));
    if (committed) return;
  }
  throw conflict("the issue is being changed by others; try again");
}
