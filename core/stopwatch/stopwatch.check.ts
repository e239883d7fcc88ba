import type { Forge } from "../forge.ts";
import { issueKey } from "../issue/issue.table.ts";
import type { Checks } from "../lifecycle/check/checks.ts";
import { asRead, type Finding, mending, shownKey } from "../lifecycle/check/finding.ts";
import type { RepositoryFacts } from "../lifecycle/check/repository-facts.ts";
import type { TableFacts } from "../lifecycle/check/table-facts.ts";
import { absent, exists } from "../table/condition.ts";
import { check, keyText, put, remove } from "../table/write.ts";
import { type Stopwatch, type StopwatchMirror, stopwatchKey, stopwatchMirrorKey } from "./stopwatch.table.ts";

const runningKind = "U#<user> / STOPWATCH";
const mirrorKind = "I#<repository>.<number> / SW#<user>";

/** Invariant 26: a stopwatch that an issue knows of runs on it. */
async function checkStopwatchMirrors({ table }: Forge, facts: RepositoryFacts): Promise<Finding[]> {
  const stopwatchMirrors = facts.all<StopwatchMirror>(mirrorKind);
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
async function checkStopwatches({ table }: Forge, facts: TableFacts): Promise<Finding[]> {
  const stopwatches = facts.all<Stopwatch>(runningKind);
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

export const stopwatchChecks: Checks = {
  reads: [runningKind, mirrorKind],
  table: [checkStopwatches],
  live: [checkStopwatchMirrors],
};
