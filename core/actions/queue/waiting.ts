import type { Forge } from "../../forge.ts";
import { grouped } from "../../grouped.ts";
import { equals } from "../../table/condition.ts";
import { check, keyText, put, remove, type TableKey, type Write } from "../../table/write.ts";
import { type Run, type RunJob, runKey } from "../actions.table.ts";
import { levelsOf, type WaitingRun, waitCounterKey, waitingKey, waitingPartition } from "./queue.table.ts";

/** The jobs of a run may want no more different sets of labels: each stands in a queue of each level. */
export const mostLabelSets = 20;

/** The sets of labels that jobs want, each once. */
export function labelSetsOf(jobs: readonly Pick<RunJob, "runsOn">[]): string[][] {
  const sets = jobs.map(({ runsOn }) => [...new Set(runsOn)].sort());
  return [...new Map(sets.map((set) => [JSON.stringify(set), set])).values()];
}

/** Where a run stands in the queues of its levels' runners: nowhere unless a job of it waits. */
export function waitingRows(run: Run): WaitingRun[] {
  const { waitsSince, repositoryId, number: runNumber } = run;
  if (waitsSince === undefined) return [];
  const sets = labelSetsOf(run.jobs.filter(({ state }) => state === "waiting")).filter(
    ({ length }) => length > 0,
  );
  return levelsOf(run).flatMap((level) =>
    [...grouped(sets, (set) => waitingPartition(level, set))].map(
      ([partition, labels]): WaitingRun => ({
        ...waitingKey(partition, run, waitsSince),
        ...{ repositoryId, runNumber, labels, _v: 1 },
      }),
    ),
  );
}

/** The writes by which the rows of a run become those of its next version: its own condition guards them. */
export function waitingWrites(before: Run | undefined, after: Run | undefined): Write[] {
  const old = new Map((before === undefined ? [] : waitingRows(before)).map((row) => [keyText(row), row]));
  const next = after === undefined ? [] : waitingRows(after);
  const kept = new Set(next.map(keyText));
  const isNew = (row: WaitingRun) =>
    JSON.stringify(old.get(keyText(row))?.labels) !== JSON.stringify(row.labels);
  const gone: TableKey[] = [...old.values()].filter((row) => !kept.has(keyText(row)));
  return [...gone.map(({ pk, sk }) => remove({ pk, sk })), ...next.filter(isNew).map((row) => put(row))];
}

/** Tells the runners of a run's levels that jobs wait: after the commit, because a counter that they share is slow in it. */
export async function announceWaiting({ table }: Pick<Forge, "table">, run: Run): Promise<void> {
  await Promise.all(levelsOf(run).map((level) => table.increment(waitCounterKey(level), "n")));
}

/** Puts a run back into the queues that it has left while Actions were off. */
export async function returnToQueues({ table }: Pick<Forge, "table">, run: Run): Promise<void> {
  const rows = waitingRows(run).map((row) => put(row));
  if (rows.length === 0) return;
  const unchanged = check(runKey(run.repositoryId, run.number), equals({ v: run.v }));
  const { committed } = await table.transact([unchanged, ...rows]);
  if (committed) await announceWaiting({ table }, run);
}
