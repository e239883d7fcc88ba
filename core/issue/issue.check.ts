import { commentCountsIn } from "../comment/checked-entries.ts";
import type { Forge } from "../forge.ts";
import { issueSequenceKey } from "../ids.ts";
import type { Checks } from "../lifecycle/check/checks.ts";
import { checkCounter } from "../lifecycle/check/counters.ts";
import { type Finding, mending, shownKey } from "../lifecycle/check/finding.ts";
import type { RepositoryFacts } from "../lifecycle/check/repository-facts.ts";
import { deltaWrite } from "../list-index/list-index.ts";
import { repositoryKey } from "../repository/repository.table.ts";
import { absent, equals } from "../table/condition.ts";
import { check, keyText, put, update } from "../table/write.ts";
import { checkedIssue, issueKind, issuesIn } from "./checked-issues.ts";
import { issueIndex } from "./issue.index.ts";
import {
  assignedRow,
  createdRow,
  type Issue,
  indexEntry,
  issueKey,
  type Pins,
  pinsKey,
} from "./issue.table.ts";
import { checkOrphans, orphanReads } from "./orphans.check.ts";

const isLive = (repositoryId: number) => check(repositoryKey(repositoryId), equals({ state: "live" }));

/** Invariant 9: the counter has passed every number that was given. */
function checkNumbers(facts: RepositoryFacts): Finding[] {
  const { repository, lastNumber } = facts;
  const greatest = Math.max(0, ...issuesIn(facts).keys());
  const key = issueSequenceKey(repository.id);
  return checkCounter({ key, last: lastNumber, greatest, thing: "issue" }, [isLive(repository.id)]);
}

/** Invariant 11: an issue counts its comments. */
function checkCommentCounts(facts: RepositoryFacts): Finding[] {
  const comments = commentCountsIn(facts);
  return [...issuesIn(facts).values()].flatMap((issue) => {
    const wanted = comments.get(issue.number) ?? 0;
    if (issue.comments === wanted) return [];
    const next: Issue = { ...issue, comments: wanted, v: issue.v + 1 };
    return [
      {
        invariant: 11,
        key: shownKey(issue),
        problem: `counts ${issue.comments} comments, there are ${wanted}`,
        remedy: `sets it to ${wanted}`,
        repair: async ({ table }: Forge) => {
          const set = { comments: wanted, v: next.v };
          const key = issueKey(issue.repositoryId, issue.number);
          const index = issueIndex(issue.repositoryId);
          // Comments move the issue's version, which also says that nobody wrote its entry since.
          const outcome = await table.transact([
            update(key, { set }, equals({ v: issue.v })),
            deltaWrite(index, issue.number, indexEntry(next), next.v),
          ]);
          return outcome.committed;
        },
      },
    ];
  });
}

/** Invariant 17: an issue stands among those that its author created, and among those of each assignee. */
async function checkUserRows({ table }: Forge, facts: RepositoryFacts): Promise<Finding[]> {
  const expected = [...issuesIn(facts).values()].flatMap((issue) => [
    { row: createdRow(issue), whose: "author", when: equals({ authorId: issue.authorId }) },
    ...issue.assigneeIds.map((id) => ({
      row: assignedRow(issue, id),
      whose: "assignee",
      when: equals({ assigneeIds: issue.assigneeIds }),
    })),
  ]);
  const found = await table.getAll(expected.map(({ row }) => row));
  return expected
    .filter(({ row }) => !found.has(keyText(row)))
    .map(({ row, whose, when }) => ({
      invariant: 17,
      key: shownKey(row),
      problem: `is missing: issue ${row.number} of repository ${row.repositoryId} is its ${whose}'s`,
      remedy: "writes the row",
      repair: mending([check(issueKey(row.repositoryId, row.number), when)], put(row, absent)),
    }));
}

/** Invariant 16: what is open was not closed at some time. */
function checkStates(facts: RepositoryFacts): Finding[] {
  return [...issuesIn(facts).values()]
    .filter(({ isClosed, closedAt }) => isClosed !== closedAt > 0)
    .map((issue) => ({
      invariant: 16,
      key: shownKey(issue),
      problem: issue.isClosed ? "is closed, without a time" : "is open, with a time of closing",
      remedy: "close or reopen it again",
    }));
}

/** Invariant 24: pinned issues say which place they have in the repository's order, the others say none. */
function checkPins(facts: RepositoryFacts): Finding[] {
  const { repository, items } = facts;
  const issues = issuesIn(facts);
  const key = pinsKey(repository.id);
  const pins = items.find(({ sk }) => sk === key.sk) as Pins | undefined;
  const placeOf = ({ kind, number }: Issue) => (pins?.[kind].indexOf(number) ?? -1) + 1;
  const pinned = [...(pins?.issue ?? []), ...(pins?.pull ?? [])];
  const wrong = [...issues.values()].filter((issue) => issue.pin !== placeOf(issue));
  const missing = pinned.filter((number) => !issues.has(number));
  return [
    ...wrong.map((issue) => ({
      invariant: 24,
      key: shownKey(issue),
      problem: `says place ${issue.pin} among the pinned ones, the repository says ${placeOf(issue)}`,
      remedy: "unpin and pin it again",
    })),
    ...missing.map((number) => ({
      invariant: 24,
      key: shownKey(key),
      problem: `names issue ${number}, which is not there`,
      remedy: "pin and unpin another one",
    })),
  ];
}

const subscriptionKind = "I#<repository>.<number> / SUB#<user>";

export const issueChecks: Checks = {
  reads: [subscriptionKind, ...orphanReads],
  keeps: { [issueKind]: checkedIssue },
  live: [
    (_, facts) => checkNumbers(facts),
    (_, facts) => checkCommentCounts(facts),
    (_, facts) => checkStates(facts),
    (_, facts) => checkPins(facts),
    checkUserRows,
    checkOrphans(subscriptionKind),
  ],
};
