import { entryRowKey } from "../comment/comment.table.ts";
import { tailWrite } from "../directory/directory.ts";
import { issueDirectory } from "../directory/issues.ts";
import type { Forge } from "../forge.ts";
import { issueSequenceKey } from "../ids.ts";
import { createdRow, directoryEntry, type Issue, issueKey } from "../issue/issue.table.ts";
import {
  type CountName,
  countsKey,
  countsPrefix,
  type RepositoryCounts,
  repositoryKey,
} from "../repository/repository.table.ts";
import { splitCounts } from "../repository/repository.ts";
import { absent, below, check, equals, exists, keyText, put, remove, update } from "../table.ts";
import { type Finding, shownKey } from "./finding.ts";
import type { RepositoryFacts } from "./repository-facts.ts";

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
      repair: async ({ table }) => void (await table.write(advanced)),
    },
  ];
}

/** The counts of a repository that its issues and comments make. */
const countedHere = ["openIssues", "closedIssues", "openPulls", "closedPulls", "issueComments"] as const;

/** Invariant 11: the sum of the counts is what there is. */
export function checkCounts({ repository, items, issues, comments }: RepositoryFacts): Finding[] {
  const parts = items.filter((item) => item.sk.startsWith(countsPrefix)) as RepositoryCounts[];
  const expected = new Map<CountName, number>();
  const add = (name: CountName, by: number) => expected.set(name, (expected.get(name) ?? 0) + by);
  for (const { number, kind, isClosed } of issues.values()) {
    if (kind === "issue") add("issueComments", comments.get(number) ?? 0);
    if (kind === "issue") add(isClosed ? "closedIssues" : "openIssues", 1);
    else add(isClosed ? "closedPulls" : "openPulls", 1);
  }
  const key = countsKey(repository.id, 0);
  const shards = Math.max(repository.shards, ...parts.map((part) => part.shards ?? 1));
  const hidden = parts.filter((part) => Number(part.sk.slice(countsPrefix.length)) >= shards);
  const unread: Finding[] = hidden.map((part) => ({
    invariant: 11,
    key: shownKey(part),
    problem: `lies behind the ${shards} parts that are read`,
    remedy: "splits the counts for good",
    repair: async (forge) => void (await splitCounts(forge, repository.id, shards)),
  }));
  return unread.concat(
    countedHere.flatMap((name): Finding[] => {
      const wanted = expected.get(name) ?? 0;
      const sum = parts.reduce((total, part) => total + (part[name] ?? 0), 0);
      if (sum === wanted) return [];
      const mended = update(key, { add: { [name]: wanted - sum }, setOnce: { _v: 1 } });
      return [
        {
          invariant: 11,
          key: shownKey(key),
          problem: `${name} counts ${sum}, there are ${wanted}`,
          remedy: `adds ${wanted - sum} to ${name}`,
          repair: async ({ table }) =>
            void (await table.transact([mended, check(repositoryKey(repository.id), exists)])),
        },
      ];
    }),
  );
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
          await table.transact([
            update(key, { set }, equals({ v: issue.v })),
            tailWrite(directory, issue.number, directoryEntry(next), next.v),
          ]);
        },
      },
    ];
  });
}

/** Invariant 17: each timeline entry has its row, and each row its entry. */
export function checkEntryRows({ repository, rows, expectedRows }: RepositoryFacts): Finding[] {
  const found = new Map(rows.map((row) => [row.id, row]));
  const findings: Finding[] = [];
  for (const [id, expected] of expectedRows) {
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
      repair: async ({ table }) => void (await table.write(put(expected))),
    });
  }
  for (const row of rows.filter(({ id }) => !expectedRows.has(id))) {
    findings.push({
      invariant: 17,
      key: shownKey(row),
      problem: `has no entry in the timeline of issue ${row.issueNumber}`,
      remedy: "removes the row",
      repair: async ({ table }) => void (await table.write(remove(entryRowKey(repository.id, row.id)))),
    });
  }
  return findings;
}

/** Invariant 17: an issue stands among those that its author created. */
export async function checkAuthorRows({ table }: Forge, { issues }: RepositoryFacts): Promise<Finding[]> {
  const rows = [...issues.values()].map(createdRow);
  const found = await table.getAll(rows);
  return rows
    .filter((row) => !found.has(keyText(row)))
    .map((row) => ({
      invariant: 17,
      key: shownKey(row),
      problem: `is missing: issue ${row.number} of repository ${row.repositoryId} is its author's`,
      remedy: "writes the row",
      repair: async (forge: Forge) => void (await forge.table.write(put(row, absent))),
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
