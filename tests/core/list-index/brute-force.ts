import type { IssueFilter, IssueSort } from "#core/issue/issue.index";
import type { IssueEntry } from "#core/issue/issue-entry";

function isWanted(number: number, entry: IssueEntry, filter: IssueFilter): boolean {
  const [base, head] = [entry.branches?.subarray(0, 8), entry.branches?.subarray(8)];
  const checks: [unknown, boolean][] = [
    [filter.state, entry.isClosed === (filter.state === "closed")],
    [filter.type, entry.isPull === (filter.type === "pull")],
    [filter.isMerged, entry.isMerged === filter.isMerged],
    [filter.isDraft, entry.isDraft === filter.isDraft],
    [filter.branches?.base, base !== undefined && filter.branches?.base?.equals(base) === true],
    [filter.branches?.head, head !== undefined && filter.branches?.head?.equals(head) === true],
    [
      filter.labelGroups,
      filter.labelGroups?.every((group) => group.some((id) => entry.labelIds.includes(id))) === true,
    ],
    [filter.milestoneIds, filter.milestoneIds?.has(entry.milestoneId) === true],
    [filter.authorId, entry.authorId === filter.authorId],
    [filter.assigneeId, entry.assigneeIds.includes(filter.assigneeId ?? 0)],
    [filter.updatedSince, entry.updatedAt >= (filter.updatedSince ?? 0)],
    [filter.updatedBefore, entry.updatedAt <= (filter.updatedBefore ?? 0)],
    [filter.numbers, filter.numbers?.has(number) === true],
  ];
  return checks.every(([asked, holds]) => asked === undefined || holds);
}

/** Sorting columns; the last is the number. A negative one sorts downwards. */
function columns(number: number, entry: IssueEntry, { by, milestoneDeadlines: due }: IssueSort): number[] {
  const deadlines = [entry.deadline, due?.get(entry.milestoneId) ?? 0].filter((one) => one !== 0);
  switch (by) {
    case "latest":
      return [-number];
    case "oldest":
      return [number];
    case "recentupdate":
      return [-entry.updatedAt, -number];
    case "leastupdate":
      return [entry.updatedAt, number];
    case "mostcomment":
      return [-entry.comments, -number];
    case "leastcomment":
      return [entry.comments, -number];
    case "nearduedate":
      return [Math.min(...deadlines, 9e9), -number];
    case "farduedate":
      return [deadlines.length === 0 ? 0 : -Math.min(...deadlines), -number];
  }
}

function byColumns(one: number[], other: number[]): number {
  const place = one.findIndex((value, index) => value !== other[index]);
  return (one[place] ?? 0) - (other[place] ?? 0);
}

/** The numbers of the issues that a filter accepts, in order: lists of the index are compared with them. */
export function expected(
  issues: ReadonlyMap<number, IssueEntry>,
  filter: IssueFilter,
  sort: IssueSort,
): number[] {
  return [...issues]
    .filter(([number, entry]) => isWanted(number, entry, filter))
    .sort((one, other) => byColumns(columns(...one, sort), columns(...other, sort)))
    .map(([number]) => number);
}
