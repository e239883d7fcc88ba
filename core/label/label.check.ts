import type { Forge } from "../forge.ts";
import { issueKind, issuesIn } from "../issue/checked-issues.ts";
import type { Checks } from "../lifecycle/check/checks.ts";
import { type Finding, shownKey } from "../lifecycle/check/finding.ts";
import type { RepositoryFacts } from "../lifecycle/check/repository-facts.ts";
import { type Label, labelPrefix, labelsOf } from "./label.table.ts";
import { twoOfOneScope } from "./scope.ts";

/**
 * Invariant 16: of the exclusive labels of one scope an issue carries at most one (B-08). Labels that were edited are
 * left out: they may have become exclusive, or come into the scope, on issues that carried both (semantics §9).
 */
async function checkLabels(forge: Forge, facts: RepositoryFacts): Promise<Finding[]> {
  const { repository, items } = facts;
  const parent = { kind: "organization", id: repository.ownerId } as const;
  const ofOwner = await forge.table.queryAll<Label>(labelsOf(parent));
  const own = items.filter((item) => item.sk.startsWith(labelPrefix)) as Label[];
  const unedited = [...own, ...ofOwner].filter(({ v }) => v === 1);
  const labels = new Map(unedited.map((label) => [label.id, label]));
  return [...issuesIn(facts).values()].flatMap((issue): Finding[] => {
    const two = twoOfOneScope(issue.labelIds.flatMap((id) => labels.get(id) ?? []));
    if (two === undefined) return [];
    const problem = `carries ${two.map(({ name }) => name).join(" and ")}, of which each excludes the other`;
    return [{ invariant: 16, key: shownKey(issue), problem, remedy: "take one of the two off the issue" }];
  });
}

export const labelChecks: Checks = { reads: [issueKind], live: [checkLabels] };
