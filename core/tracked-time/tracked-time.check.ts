import type { Forge } from "../forge.ts";
import type { Checks } from "../lifecycle/check/checks.ts";
import { asRead, type Finding, mending, shownKey } from "../lifecycle/check/finding.ts";
import type { RepositoryFacts } from "../lifecycle/check/repository-facts.ts";
import { absent, exists } from "../table/condition.ts";
import { check, keyText, put, remove } from "../table/write.ts";
import { repositoryTimes, rowKeys, type TrackedTime, timeKey } from "./tracked-time.table.ts";

const timeKind = "I#<repository>.<number> / TT#<id>";

/** Invariant 26: a tracked time lies among those of its repository and of its user, and the reverse. */
async function checkTimes({ table }: Forge, facts: RepositoryFacts): Promise<Finding[]> {
  const { repository } = facts;
  const times = facts.all<TrackedTime>(timeKind);
  const expected = times.flatMap((time) => rowKeys(time).map((key) => ({ time, row: { ...time, ...key } })));
  const [found, listed] = await Promise.all([
    table.getAll<TrackedTime>(expected.map(({ row }) => row)),
    table.queryAll<TrackedTime>({ pk: repositoryTimes(repository.id) }),
  ]);
  const known = new Set(expected.map(({ row }) => keyText(row)));
  return [
    ...expected.flatMap(({ time, row }): Finding[] => {
      const present = found.get(keyText(row));
      if (present?.seconds === row.seconds && present.issueNumber === row.issueNumber) return [];
      const problem = present === undefined ? "is missing" : "is not what the issue says of the time";
      const repair = mending([check(keyAt(time), exists)], put(row, asRead(present)));
      return [{ invariant: 26, key: shownKey(row), problem, remedy: "writes it as the issue says", repair }];
    }),
    ...listed
      .filter((row) => !known.has(keyText(row)))
      .map((row) => ({
        invariant: 26,
        key: shownKey(row),
        problem: `issue ${row.issueNumber} has no such time`,
        remedy: "removes the row",
        repair: mending([check(keyAt(row), absent)], remove(row, asRead(row))),
      })),
  ];
}

const keyAt = ({ repositoryId, issueNumber, id }: TrackedTime) => timeKey(repositoryId, issueNumber, id);

export const trackedTimeChecks: Checks = { reads: [timeKind], live: [checkTimes] };
