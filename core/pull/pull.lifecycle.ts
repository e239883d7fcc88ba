import type { Forge } from "../forge.ts";
import { type IssueTombstone, issueTombstoneKey } from "../issue/issue.table.ts";
import type { IssueAddress } from "../issue/placed-issues.ts";
import type { PartStep } from "../jobs/passes.ts";
import type { EndedRepository, Lifecycle } from "../lifecycle/lifecycle.ts";
import { partitionBeside } from "../lifecycle/remove-page.ts";
import { ghostUser } from "../user/system-users.ts";
import { closePull } from "./follow/close.ts";
import { dropPullHead } from "./head/drop-head.ts";
import { pullChecks } from "./pull.check.ts";
import {
  fromKey,
  type OpenPullRow,
  openPullsFromAnyBranch,
  openPullsIntoAnyBranch,
  pullsPartition,
} from "./pull.table.ts";

const pullsPerStep = 10;

/**
 * Closes the requests of other repositories whose head lies here, because the head goes. Their commits stay with them.
 */
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

/** Removes the ref of a request that is hidden from everybody; of a repository that goes, git's data goes with it. */
async function forgetPull(forge: Forge, { repositoryId, number }: IssueAddress): Promise<void> {
  const mark = await forge.table.get<IssueTombstone>(issueTombstoneKey(repositoryId, number));
  if (mark?.isPull === true) await dropPullHead(forge, repositoryId, number);
}

/** What pull requests have beside the parts of issues. */
export const pullLifecycle: Lifecycle = {
  noun: "pull",
  items: [
    { at: "R#<repository>#PULL / PAIR#<id>#<head>#<base>" },
    { at: "R#<repository>#PULL / BASE#<base>#<number>" },
    { at: "R#<repository>#PULL / HEAD#<head>#<repository>.<number>" },
    { at: "R#<repository>#PULL / MERGED#<commit>" },
    { at: "R#<repository>#PULL / MERGEDHEAD#<head>" },
    { at: "R#<repository>#PULL / RENAMED#<branch>" },
    { at: "R#<repository>#PULL / SCHEDULED#<commit>#<number>" },
    { at: "I#<repository>.<number> / MERGEABLE" },
    { at: "I#<repository>.<number> / SCHEDULED" },
  ],
  ends: {
    repository: {
      from: { step: closePullsFrom },
      into: { step: forgetPullsInto },
      rows: partitionBeside(pullsPartition),
    },
    issue: { elsewhere: forgetPull },
  },
  checks: pullChecks,
};
