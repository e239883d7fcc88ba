import { nowSeconds } from "../clock.ts";
import { defined } from "../defined.ts";
import type { Forge } from "../forge.ts";
import type { Checks } from "../lifecycle/check/checks.ts";
import { type Finding, mending, shownKey } from "../lifecycle/check/finding.ts";
import type { RepositoryFacts } from "../lifecycle/check/repository-facts.ts";
import { absent, equals } from "../table/condition.ts";
import { check, type Item, keyText, put } from "../table/write.ts";
import { type JobTask, type Run, runKey, runPrefix, runsPartition, taskKey } from "./actions.table.ts";
import { isActionsOn } from "./actions-on.ts";
import { type LogPiece, logObjects, logPieceKey } from "./log/log.table.ts";
import { queueChecks } from "./queue/queues.check.ts";
import { waitingRows } from "./queue/waiting.ts";

/** The check skips what was written in the last minute: it reads items one after the other, and may see half of a change. */
const settledSeconds = 60;

/** Items of a repository's runs, a page at a time: runs are large. */
async function* each<T extends Item>(
  { table }: Forge,
  repositoryId: number,
  prefix: string,
): AsyncGenerator<T> {
  let after: string | undefined;
  do {
    const page = await table.query<T>({ pk: runsPartition(repositoryId), prefix, ...defined({ after }) });
    yield* page.items;
    after = page.next;
  } while (after !== undefined);
}

async function checkActions(forge: Forge, { repository }: RepositoryFacts): Promise<Finding[]> {
  const { id } = repository;
  const tasks = new Map<number, JobTask>();
  for await (const task of each<JobTask>(forge, id, "T#")) tasks.set(task.jobNumber, task);
  const findings: Finding[] = [];
  const numbers = new Set<number>();
  const areQueued = isActionsOn(forge.config, repository);
  for await (const run of each<Run>(forge, id, runPrefix)) {
    numbers.add(run.number);
    if (areQueued) findings.push(...(await checkQueues(forge, run)));
    findings.push(...checkRunning(run, tasks));
  }
  const strays = [...tasks.values()].filter(({ runNumber }) => !numbers.has(runNumber));
  return [...findings, ...strays.map(strayTask), ...(await checkLogs(forge, id, [...tasks.values()]))];
}

/** Invariant 49: a run whose jobs wait stands in the queues of its levels, unless the repository has no Actions. */
async function checkQueues({ table }: Forge, run: Run): Promise<Finding[]> {
  const rows = waitingRows(run);
  const found = rows.length === 0 ? new Map() : await table.getAll(rows);
  return rows
    .filter((row) => !found.has(keyText(row)))
    .map((row) => ({
      invariant: 49,
      key: shownKey(row),
      problem: `run ${run.number} waits and does not stand in this queue: no runner takes its jobs`,
      remedy: "puts it there",
      repair: mending([check(runKey(run.repositoryId, run.number), equals({ v: run.v }))], put(row, absent)),
    }));
}

/** Invariant 50: a job that runs has its task. */
const checkRunning = (run: Run, tasks: ReadonlyMap<number, JobTask>): Finding[] =>
  run.jobs
    .filter(({ state, number }) => state === "running" && !tasks.has(number))
    .map(({ number }) => ({
      invariant: 50,
      key: shownKey(taskKey(run.repositoryId, number)),
      problem: `is not there, and job ${number} of run ${run.number} runs`,
      remedy: "none is needed: the next looks at the run end the job",
    }));

/** Invariant 50: a task belongs to a run that is there. */
const strayTask = (task: JobTask): Finding => ({
  invariant: 50,
  key: shownKey(task),
  problem: `is the task of a job of run ${task.runNumber}, which is not there`,
  remedy: "none is needed: nothing reads it, and it goes with the repository",
});

/** Invariant 50: a closed log has its lines, in pieces without a gap or as one object, which lie in the bucket. */
async function checkLogs(forge: Forge, repositoryId: number, tasks: readonly JobTask[]): Promise<Finding[]> {
  const settled = nowSeconds(forge.clock) - settledSeconds;
  const closed = tasks.filter(({ isLogSealed, heardAt }) => isLogSealed === true && heardAt <= settled);
  if (closed.length === 0) return [];
  const pieces = new Map<string, Pick<LogPiece, "lines" | "objectKey">>();
  for await (const piece of each<LogPiece>(forge, repositoryId, "L#")) {
    const { lines, objectKey } = piece;
    pieces.set(keyText(piece), { lines, objectKey });
  }
  const objects = new Set<string>();
  for await (const { key } of forge.blobs.list(logObjects(repositoryId))) objects.add(key);
  return closed.flatMap((task) => {
    const problem = problemOf(repositoryId, task, pieces, objects);
    const remedy = "nothing derives it: restore it from a backup, or delete the run";
    return problem === undefined ? [] : [{ invariant: 50, key: shownKey(task), problem, remedy }];
  });
}

function problemOf(
  repositoryId: number,
  { jobNumber, log, logLines }: JobTask,
  pieces: ReadonlyMap<string, Pick<LogPiece, "lines" | "objectKey">>,
  objects: ReadonlySet<string>,
): string | undefined {
  if (log !== undefined) {
    const { objectKey } = log;
    return objectKey === undefined || objects.has(objectKey) ? undefined : "the object of its log is gone";
  }
  for (let line = 0; line < logLines; ) {
    const piece = pieces.get(keyText(logPieceKey(repositoryId, jobNumber, line)));
    if (piece === undefined) return `its log has no piece from line ${line} on`;
    if (!objects.has(piece.objectKey)) return `the object of its log's lines from ${line} on is gone`;
    line += Math.max(1, piece.lines);
  }
  return undefined;
}

export const actionsChecks: Checks = { ...queueChecks, live: [checkActions] };
