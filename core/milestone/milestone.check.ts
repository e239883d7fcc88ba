import type { Forge } from "../forge.ts";
import { issueKind, issuesIn } from "../issue/checked-issues.ts";
import type { Checks } from "../lifecycle/check/checks.ts";
import { agreed, type Finding, shownKey } from "../lifecycle/check/finding.ts";
import type { RepositoryFacts } from "../lifecycle/check/repository-facts.ts";
import { equals } from "../table/condition.ts";
import { update } from "../table/write.ts";
import { type Milestone, milestoneKey, milestonePrefix } from "./milestone.table.ts";

/** Invariant 11: a milestone counts its issues. */
function checkMilestones(facts: RepositoryFacts): Finding[] {
  const { items } = facts;
  const milestones = items.filter((item) => item.sk.startsWith(milestonePrefix)) as Milestone[];
  return milestones.flatMap((milestone): Finding[] => {
    const { openIssues, closedIssues } = milestone;
    const { open, closed } = countedIn(milestone, facts);
    if (openIssues === open && closedIssues === closed) return [];
    return [
      {
        invariant: 11,
        key: shownKey(milestone),
        problem: `counts ${openIssues} open and ${closedIssues} closed issues, there are ${open} and ${closed}`,
        remedy: "counts anew",
        repair: (forge) => recount(forge, milestone, facts),
      },
    ];
  });
}

function countedIn({ id }: Milestone, facts: RepositoryFacts): { open: number; closed: number } {
  const given = [...issuesIn(facts).values()].filter(({ milestoneId }) => milestoneId === id);
  const open = given.filter(({ isClosed }) => !isClosed).length;
  return { open, closed: given.length - open };
}

/**
 * Sets the counts to what two countings agree on. Each change of them moves `countChanges`, so that none can come between
 * unseen.
 */
async function recount(
  forge: Forge,
  { repositoryId, id }: Milestone,
  { again }: RepositoryFacts,
): Promise<boolean> {
  const key = milestoneKey(repositoryId, id);
  const counted = await agreed(async () => {
    const milestone = await forge.table.get<Milestone>(key);
    const facts = await again(forge);
    return milestone && facts && { milestone, ...countedIn(milestone, facts) };
  });
  if (counted === undefined) return false;
  const { milestone, open, closed } = counted;
  const { openIssues, closedIssues, countChanges } = milestone;
  const change = { set: { openIssues: open, closedIssues: closed }, add: { countChanges: 1 } };
  return forge.table.write(update(key, change, equals({ openIssues, closedIssues, countChanges })));
}

export const milestoneChecks: Checks = {
  reads: [issueKind],
  live: [(_, facts) => checkMilestones(facts)],
};
