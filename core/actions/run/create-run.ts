import { nowSeconds } from "../../clock.ts";
import type { Forge } from "../../forge.ts";
import { nextJobNumbers, nextRunNumber } from "../../ids.ts";
import { repositoryKey } from "../../repository/repository.table.ts";
import { absent, equals } from "../../table/condition.ts";
import { check, put, type Write } from "../../table/write.ts";
import {
  type JobBlock,
  jobBlockKey,
  type Run,
  type RunJob,
  type RunSource,
  runId,
  runKey,
  runSourceKey,
} from "../actions.table.ts";
import { settleJobs } from "../job/job-states.ts";
import { waitingWrites } from "../queue/waiting.ts";
import { lookWrites } from "../watchdog/looks.ts";
import { afterRunWrite, followJobs, runEvent } from "./change-run.ts";
import { runDelta } from "./run.index.ts";

/** A job as a workflow describes it. */
export type NewJob = Pick<
  RunJob,
  "key" | "name" | "matrix" | "needs" | "runsOn" | "hasCondition" | "mostAtOnce"
>;

/** The members of a run that follow from its event. */
export type RunOrigin = Pick<
  Run,
  | "title"
  | "event"
  | "ref"
  | "commitId"
  | "baseRef"
  | "headRef"
  | "isFromFork"
  | "needsApproval"
  | "unapproved"
  | "actorId"
>;

/** A run as its event and its workflow describe it. */
export type NewRun = RunOrigin &
  Pick<
    Run,
    | "repositoryId"
    | "ownerId"
    | "workflow"
    | "workflowPath"
    | "workflowName"
    | "group"
    | "isQueued"
    | "problem"
  > & {
    readonly jobs: readonly NewJob[];
    readonly source: Pick<RunSource, "workflow" | "event">;
  };

/**
 * Makes a run, with further writes in its transaction, whose conditions may refuse it: undefined then, and when the
 * repository is gone or archived by now.
 */
export async function createRun(
  forge: Forge,
  given: NewRun,
  writesFor: (run: Run) => readonly Write[] = () => [],
): Promise<Run | undefined> {
  const { repositoryId } = given;
  const [number, firstJob] = await Promise.all([
    nextRunNumber(forge.table, repositoryId),
    nextJobNumbers(forge.table, repositoryId, given.jobs.length),
  ]);
  const run = newRun(forge, given, number, firstJob);
  const { workflow, event } = given.source;
  const source: RunSource = { ...runSourceKey(repositoryId, number), workflow, event, _v: 1 };
  const changed = runEvent(forge, run);
  const { committed } = await forge.table.transact([
    check(repositoryKey(repositoryId), equals({ state: "live", isArchived: false })),
    put(run, absent),
    put(source),
    jobBlockWrite(run, firstJob, given.jobs.length),
    runDelta(run),
    ...waitingWrites(undefined, run),
    changed.write,
    ...lookWrites(forge, undefined, run),
    ...writesFor(run),
  ]);
  if (!committed) return undefined;
  await afterRunWrite(forge, undefined, run, changed);
  return run;
}

/** Leads from the numbers of new jobs to their run. */
export function jobBlockWrite(
  { repositoryId, number: runNumber, attempt }: Pick<Run, "repositoryId" | "number" | "attempt">,
  first: number,
  count: number,
): Write {
  const block: JobBlock = {
    ...jobBlockKey(repositoryId, first + count - 1),
    ...{ first, runNumber, attempt, _v: 1 },
  };
  return put(block);
}

function newRun(forge: Forge, { source: _, ...given }: NewRun, number: number, firstJob: number): Run {
  const { repositoryId, problem, needsApproval, isQueued } = given;
  const now = nowSeconds(forge.clock);
  const state = problem === undefined ? "blocked" : "failure";
  const jobs = given.jobs.map(
    (job, at): RunJob => ({
      ...job,
      number: firstJob + at,
      state,
      attempt: 1,
      startedAt: 0,
      stoppedAt: state === "failure" ? now : 0,
    }),
  );
  const isHeld = needsApproval === true || isQueued === true;
  const run: Run = {
    ...runKey(repositoryId, number),
    ...given,
    id: runId(repositoryId, number),
    number,
    attempt: 1,
    jobs: isHeld ? jobs : settleJobs(jobs),
    state,
    createdAt: now,
    startedAt: 0,
    stoppedAt: 0,
    updatedAt: now,
    v: 1,
    _v: 1,
  };
  return followJobs(forge, run);
}
