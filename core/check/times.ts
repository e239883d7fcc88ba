import type { Forge } from "../forge.ts";
import { issueKey } from "../issue/issue.table.ts";
import { type Stopwatch, stopwatchKey, stopwatchMirrorKey } from "../stopwatch/stopwatch.table.ts";
import { absent, exists } from "../table/condition.ts";
import { check, keyText, put, remove } from "../table/write.ts";
import { repositoryTimes, rowKeys, type TrackedTime, timeKey } from "../tracked-time/tracked-time.table.ts";
import { asRead, type Finding, mending, shownKey } from "./finding.ts";
import type { RepositoryFacts } from "./repository-facts.ts";
import type { TableFacts } from "./table-facts.ts";

/** Invariant 26: a tracked time lies among those of its repository and of its user, and the reverse. */
export async function checkTimes(
  { table }: Forge,
  { repository, times }: RepositoryFacts,
): Promise<Finding[]> {
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

/** Invariant 26: a stopwatch that an issue knows of runs on it. */
export async function checkStopwatchMirrors(
  { table }: Forge,
  { stopwatchMirrors }: RepositoryFacts,
): Promise<Finding[]> {
  const keyOf = ({ userId }: { userId: number }) => stopwatchKey(userId);
  const found = await table.getAll<Stopwatch>(stopwatchMirrors.map(keyOf));
  return stopwatchMirrors.flatMap((mirror): Finding[] => {
    const running = found.get(keyText(keyOf(mirror)));
    if (running !== undefined && stopwatchMirrorKey(running, running.userId).pk === mirror.pk) return [];
    return [
      {
        invariant: 26,
        key: shownKey(mirror),
        problem: `no stopwatch of user ${mirror.userId} runs on the issue`,
        remedy: "removes it",
        repair: mending([check(keyOf(mirror), asRead(running))], remove(mirror, asRead(mirror))),
      },
    ];
  });
}

/** Invariant 26: an issue knows of the stopwatches that run on it. */
export async function checkStopwatches({ table }: Forge, { stopwatches }: TableFacts): Promise<Finding[]> {
  const keyOf = (stopwatch: Stopwatch) => stopwatchMirrorKey(stopwatch, stopwatch.userId);
  const found = await table.getAll(stopwatches.map(keyOf));
  return stopwatches
    .filter((stopwatch) => !found.has(keyText(keyOf(stopwatch))))
    .map((stopwatch) => {
      const { userId, repositoryId, issueNumber } = stopwatch;
      const derivedFrom = [
        check(stopwatchKey(userId), asRead(stopwatch)),
        check(issueKey(repositoryId, issueNumber), exists),
      ];
      return {
        invariant: 26,
        key: shownKey(keyOf(stopwatch)),
        problem: `is missing: the stopwatch of user ${userId} runs on the issue`,
        remedy: "writes it, if the issue is there",
        repair: mending(derivedFrom, put({ ...keyOf(stopwatch), userId, _v: 1 }, absent)),
      };
    });
}
