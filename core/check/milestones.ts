import type { Forge } from "../forge.ts";
import { type Milestone, milestoneKey, milestonePrefix } from "../milestone/milestone.table.ts";
import { equals } from "../table/condition.ts";
import { update } from "../table/write.ts";
import { agreed, type Finding, shownKey } from "./finding.ts";
import { type RepositoryFacts, readFacts } from "./repository-facts.ts";

/** Invariant 11: a milestone counts its issues. */
export function checkMilestones({ items, issues }: RepositoryFacts): Finding[] {
  const milestones = items.filter((item) => item.sk.startsWith(milestonePrefix)) as Milestone[];
  return milestones.flatMap((milestone): Finding[] => {
    const { openIssues, closedIssues } = milestone;
    const { open, closed } = countedIn(milestone, issues);
    if (openIssues === open && closedIssues === closed) return [];
    return [
      {
        invariant: 11,
        key: shownKey(milestone),
        problem: `counts ${openIssues} open and ${closedIssues} closed issues, there are ${open} and ${closed}`,
        remedy: "counts anew",
        repair: (forge) => recount(forge, milestone),
      },
    ];
  });
}

function countedIn({ id }: Milestone, issues: RepositoryFacts["issues"]): { open: number; closed: number } {
  const given = [...issues.values()].filter(({ milestoneId }) => milestoneId === id);
  const open = given.filter(({ isClosed }) => !isClosed).length;
  return { open, closed: given.length - open };
}

/**
 * Sets the counts to what two countings agree on. Each change of them moves `countChanges`, so that none can come between
 * unseen.
 */
async function recount(forge: Forge, { repositoryId, id }: Milestone): Promise<boolean> {
  const key = milestoneKey(repositoryId, id);
  const counted = await agreed(async () => {
    const milestone = await forge.table.get<Milestone>(key);
    const facts = await readFacts(forge, repositoryId);
    return milestone && facts && { milestone, ...countedIn(milestone, facts.issues) };
  });
  if (counted === undefined) return false;
  const { milestone, open, closed } = counted;
  const { openIssues, closedIssues, countChanges } = milestone;
  const change = { set: { openIssues: open, closedIssues: closed }, add: { countChanges: 1 } };
  return forge.table.write(update(key, change, equals({ openIssues, closedIssues, countChanges })));
}
