import type { Forge } from "../forge.ts";
import { type Milestone, milestoneKey, milestonePrefix } from "../milestone/milestone.table.ts";
import { equals, update } from "../table.ts";
import { type Finding, shownKey } from "./finding.ts";
import type { RepositoryFacts } from "./repository-facts.ts";

/** Invariant 11: a milestone counts its issues. */
export function checkMilestones({ items, issues }: RepositoryFacts): Finding[] {
  const milestones = items.filter((item) => item.sk.startsWith(milestonePrefix)) as Milestone[];
  return milestones.flatMap((milestone): Finding[] => {
    const { id, openIssues, closedIssues } = milestone;
    const given = [...issues.values()].filter(({ milestoneId }) => milestoneId === id);
    const open = given.filter(({ isClosed }) => !isClosed).length;
    const closed = given.length - open;
    if (openIssues === open && closedIssues === closed) return [];
    const add = { openIssues: open - openIssues, closedIssues: closed - closedIssues };
    return [
      {
        invariant: 11,
        key: shownKey(milestone),
        problem: `counts ${openIssues} open and ${closedIssues} closed issues, there are ${open} and ${closed}`,
        remedy: "corrects the counts",
        repair: async ({ table }: Forge) =>
          void (await table.write(
            update(milestoneKey(milestone.repositoryId, id), { add }, equals({ openIssues, closedIssues })),
          )),
      },
    ];
  });
}
