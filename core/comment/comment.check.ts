import type { Checks } from "../lifecycle/check/checks.ts";
import { asRead, type Finding, mending, shownKey } from "../lifecycle/check/finding.ts";
import type { RepositoryFacts } from "../lifecycle/check/repository-facts.ts";
import { absent, equals } from "../table/condition.ts";
import { check, put, remove } from "../table/write.ts";
import { checkedEntry, entriesIn, entryKind } from "./checked-entries.ts";
import { entryKey, entryRowKey, rowOf } from "./comment.table.ts";

/** Invariant 17: each timeline entry has its row, and each row its entry. */
function checkEntryRows(facts: RepositoryFacts): Finding[] {
  const { repository, rows } = facts;
  const expectedRows = new Map(
    entriesIn(facts).map((entry) => [entry.id, { row: rowOf(entry), v: entry.v }]),
  );
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

export const commentChecks: Checks = {
  reads: [entryKind],
  keeps: { [entryKind]: checkedEntry },
  live: [(_, facts) => checkEntryRows(facts)],
};
