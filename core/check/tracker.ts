import { entryKey, entryRowKey } from "../comment/comment.table.ts";
import { tailWrite } from "../directory/directory.ts";
import { issueDirectory } from "../directory/issues.ts";
import type { Forge } from "../forge.ts";
import { issueSequenceKey } from "../ids.ts";
import {
  assignedRow,
  createdRow,
  directoryEntry,
  type Issue,
  issueKey,
  type Pins,
  pinsKey,
} from "../issue/issue.table.ts";
import { repositoryKey } from "../repository/repository.table.ts";
import { absent, below, equals } from "../table/condition.ts";
import { check, keyText, put, remove, update } from "../table/write.ts";
import { asRead, type Finding, mending, shownKey } from "./finding.ts";
import type { RepositoryFacts } from "./repository-facts.ts";

const isLive = (repositoryId: number) => check(repositoryKey(repositoryId), equals({ state: "live" }));

/** Invariant 9: the counter has passed every number that was given. */
export function checkNumbers({ repository, lastNumber, issues }: RepositoryFacts): Finding[] {
  const greatest = Math.max(0, ...issues.keys());
  if (greatest <= lastNumber) return [];
  const key = issueSequenceKey(repository.id);
  const advanced = update(key, { set: { n: greatest } }, lastNumber === 0 ? absent : below({ n: greatest }));
  return [
    {
      invariant: 9,
      key: shownKey(key),
      problem: `the counter stands at ${lastNumber}, issue ${greatest} is there already`,
      remedy: `sets the counter to ${greatest}`,
      repair: mending([isLive(repository.id)], advanced),
    },
  ];
}

/** Invariant 11: an issue counts its comments. */
export function checkCommentCounts({ issues, comments }: RepositoryFacts): Finding[] {
  return [...issues.values()].flatMap((issue) => {
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
          const directory = issueDirectory(issue.repositoryId);
          // Comments move the issue's version, which also says that nobody wrote its entry since.
          const outcome = await table.transact([
            update(key, { set }, equals({ v: issue.v })),
            tailWrite(directory, issue.number, directoryEntry(next), next.v),
          ]);
          return outcome.committed;
        },
      },
    ];
  });
}

/** Invariant 17: each timeline entry has its row, and each row its entry. */
export function checkEntryRows({ repository, rows, expectedRows }: RepositoryFacts): Finding[] {
  const found = new Map(rows.map((row) => [row.id, row]));
  const findings: Finding[] = [];
  for (const [id, { row: expected, v }] of expectedRows) {
    const row = found.get(id);
    const isSame =
      row?.issueNumber === expected.issueNumber &&
      row.isPlain === expected.isPlain &&
      row.issueKind === expected.issueKind &&
      row.updatedAt === expected.updatedAt;
    if (isSame) continue;
    findings.push({
      invariant: 17,
      key: shownKey(expected),
      problem: row === undefined ? "is missing" : "is not what its timeline entry says",
      remedy: "writes the row of the timeline entry",
      repair: mending(
        [check(entryKey(repository.id, expected.issueNumber, id), equals({ v }))],
        put(expected, asRead(row)),
      ),
    });
  }
  for (const row of rows.filter(({ id }) => !expectedRows.has(id))) {
    findings.push({
      invariant: 17,
      key: shownKey(row),
      problem: `has no entry in the timeline of issue ${row.issueNumber}`,
      remedy: "removes the row",
      repair: mending(
        [check(entryKey(repository.id, row.issueNumber, row.id), absent)],
        remove(entryRowKey(repository.id, row.id), asRead(row)),
      ),
    });
  }
  return findings;
}

/** Invariant 17: an issue stands among those that its author created, and among those of each assignee. */
export async function checkUserRows({ table }: Forge, { issues }: RepositoryFacts): Promise<Finding[]> {
  const expected = [...issues.values()].flatMap((issue) => [
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
export function checkStates({ issues }: RepositoryFacts): Finding[] {
  return [...issues.values()]
    .filter(({ isClosed, closedAt }) => isClosed !== closedAt > 0)
    .map((issue) => ({
      invariant: 16,
      key: shownKey(issue),
      problem: issue.isClosed ? "is closed, without a time" : "is open, with a time of closing",
      remedy: "close or reopen it again",
    }));
}

/** Invariant 24: pinned issues say which place they have in the repository's order, the others say none. */
export function checkPins({ repository, items, issues }: RepositoryFacts): Finding[] {
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
