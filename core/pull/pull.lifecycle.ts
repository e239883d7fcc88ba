import type { Forge } from "../forge.ts";
import { type Issue, issueKey } from "../issue/issue.table.ts";
import type { IssueAddress } from "../issue/placed-issues.ts";
import type { PartStep } from "../jobs/passes.ts";
import type { EndedRepository, Lifecycle } from "../lifecycle/lifecycle.ts";
import { partitionBeside } from "../lifecycle/remove-page.ts";
import { equals } from "../table/condition.ts";
import { remove } from "../table/write.ts";
import { ghostUser } from "../user/system-users.ts";
import { closePull } from "./close.ts";
import { mergedHeadKey } from "./merged-head.ts";
import {
  fromKey,
  isPullRequest,
  mergedPullKey,
  type OpenPullRow,
  openPullRows,
  openPullsFromAnyBranch,
  openPullsIntoAnyBranch,
  pullsPartition,
} from "./pull.table.ts";

const pullsPerStep = 10;

/** Closes the requests of other repositories whose head lies here: it goes. What they brought stays with them. */
async function closePullsFrom(forge: Forge, { repositoryId }: EndedRepository): Promise<PartStep> {
  const { items, next } = await forge.table.query<OpenPullRow>({
    ...openPullsFromAnyBranch(repositoryId),
    limit: pullsPerStep,
  });
  for (const row of items) {
    if (row.repositoryId !== repositoryId) await closePull(forge, row, { user: ghostUser });
  }
  await forge.table.removeAll(items);
  return { hasFound: items.length > 0, hasMore: next !== undefined };
}

/** Removes the rows at other repositories that name requests into this one. */
async function forgetPullsInto(forge: Forge, { repositoryId }: EndedRepository): Promise<PartStep> {
  const { items, next } = await forge.table.query<OpenPullRow>({
    ...openPullsIntoAnyBranch(repositoryId),
    limit: pullsPerStep,
  });
  await forge.table.removeAll(items.map(fromKey));
  await forge.table.removeAll(items);
  return { hasFound: items.length > 0, hasMore: next !== undefined };
}

/** Removes the rows of a request that is hidden from everybody. */
async function forgetPull({ table }: Forge, { repositoryId, number }: IssueAddress): Promise<void> {
  const issue = await table.get<Issue>(issueKey(repositoryId, number));
  if (issue === undefined || !isPullRequest(issue)) return;
  const { merge, head } = issue.pull;
  const merged = merge === undefined ? [] : [mergedPullKey(repositoryId, merge.commitId)];
  await table.removeAll([...openPullRows(issue), ...merged]);
  if (merge !== undefined) await table.write(remove(mergedHeadKey(repositoryId, head), equals({ number })));
}

/** Pull requests: what issues don't have. */
export const pullLifecycle: Lifecycle = {
  noun: "pull",
  items: [
    { at: "R#<repository>#PULL / PAIR#<id>#<head>#<base>" },
    { at: "R#<repository>#PULL / BASE#<base>#<number>" },
    { at: "R#<repository>#PULL / HEAD#<head>#<repository>.<number>" },
    { at: "R#<repository>#PULL / MERGED#<commit>" },
    { at: "R#<repository>#PULL / MERGEDHEAD#<head>" },
    { at: "I#<repository>.<number> / MERGEABLE" },
  ],
  ends: {
    repository: {
      from: { step: closePullsFrom },
      into: { step: forgetPullsInto },
      rows: partitionBeside(pullsPartition),
    },
    issue: { elsewhere: forgetPull },
  },
};
