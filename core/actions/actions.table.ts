import { createHash } from "node:crypto";
import type { ObjectId } from "../git/format/object-format.ts";
import { padded } from "../ids.ts";
import { repositoryPartition } from "../repository/repository.table.ts";
import type { Item, TableKey } from "../table/write.ts";
import type { JobState } from "./job/job-states.ts";
import type { RunEvent } from "./run/run-events.ts";

/** One of the jobs of a run: of a matrix, each combination is a job. Times are whole seconds, 0 for "not yet". */
export interface RunJob {
  /** Counts the jobs of the repository's runs, those of each attempt anew. */
  readonly number: number;
  /** Its id in the file; the jobs of a matrix share it. */
  readonly key: string;
  readonly name: string;
  /** Its combination of the matrix. */
  readonly matrix?: Readonly<Record<string, unknown>>;
  /** The keys of the jobs that end before it starts. */
  readonly needs: readonly string[];
  /** The labels that its runner must have; a job without any fits none. */
  readonly runsOn: readonly string[];
  /** It has an `if`, which the runner evaluates: it runs even after jobs that failed. */
  readonly hasCondition?: true;
  /** Most jobs of its key that run at once. */
  readonly mostAtOnce?: number;
  readonly state: JobState;
  /** The attempt at the run in which it was made. */
  readonly attempt: number;
  /** When it began to wait, or to be blocked in another attempt; absent: with its run. */
  readonly pendingSince?: number;
  /** The runner that has the job, or had it. */
  readonly runnerId?: number;
  readonly startedAt: number;
  readonly stoppedAt: number;
}

/** A workflow that runs, with its jobs and all their states: what happens to one job happens to the run's item. */
export interface Run extends Item {
  /** Unique in the instance: made of the repository's id and the number (`runId`). */
  readonly id: number;
  readonly repositoryId: number;
  /** Whose runners may take its jobs. */
  readonly ownerId: number;
  /** Counts the repository's runs. */
  readonly number: number;
  readonly title: string;
  /** The path of the file in its folder of workflows, and from the root. */
  readonly workflow: string;
  readonly workflowPath: string;
  readonly workflowName: string;
  readonly event: RunEvent;
  /** The full name of the ref that it runs for. */
  readonly ref: string;
  readonly commitId: ObjectId;
  /** For pull requests: base and head branch. */
  readonly baseRef?: string;
  readonly headRef?: string;
  /** For pull requests from a fork: the jobs get no secrets. */
  readonly isFromFork?: true;
  /** Nobody has allowed it yet: its jobs stay blocked. */
  readonly needsApproval?: true;
  /** The users whose code needs the approval, and who are approved with it (-1: unknown). Absent in old runs: the actor. */
  readonly unapproved?: readonly number[];
  /** The user who caused the event. */
  readonly actorId: number;
  /** The group of runs of which one runs at a time, and whether it waits for the others. */
  readonly group?: string;
  readonly isQueued?: true;
  /** Why there is nothing to run: its one job has failed. */
  readonly problem?: string;
  readonly attempt: number;
  readonly jobs: readonly RunJob[];
  /** Follows from those of the jobs. */
  readonly state: JobState;
  /** Milliseconds: its place in the queues of waiting jobs, while any wait. */
  readonly waitsSince?: number;
  readonly createdAt: number;
  readonly startedAt: number;
  readonly stoppedAt: number;
  readonly updatedAt: number;
  /** Edit version: the condition of the next write. */
  readonly v: number;
  readonly _v: 1;
}

/** An attempt at a run as it ended, once there is another. */
export type FormerAttempt = Run;

/** What a run was made from. */
export interface RunSource extends Item {
  /** The file. */
  readonly workflow: string;
  /** The payload of the event, as JSON. */
  readonly event: string;
  readonly _v: 1;
}

/** Leads from the number of a job to its run: of the jobs that were numbered together, under the last number. */
export interface JobBlock extends Item {
  readonly first: number;
  readonly runNumber: number;
  readonly attempt: number;
  readonly _v: 1;
}

/** A step of a job as its runner reports it. Times are whole seconds, 0 for "not yet". */
export interface TaskStep {
  readonly name: string;
  readonly state: JobState;
  readonly startedAt: number;
  readonly stoppedAt: number;
  readonly firstLine: number;
  readonly lines: number;
}

/** A job that a runner has taken: what only its runner writes. Whether it still runs says the run. */
export interface JobTask extends Item {
  readonly jobNumber: number;
  readonly runNumber: number;
  readonly runnerId: number;
  /** As it was called then. */
  readonly runnerName?: string;
  readonly steps: readonly TaskStep[];
  /** The lines of the log that have come, their bytes, and how often some came (absent: not counted). */
  readonly logLines: number;
  readonly logBytes: number;
  readonly logPieces?: number;
  /** No more lines come. */
  readonly isLogSealed?: true;
  readonly log?: WholeLog;
  /** How often its pieces could not be joined. */
  readonly joinFailures?: number;
  /** The object that holds its outputs. */
  readonly outputsKey?: string;
  /** When its runner last spoke of it, whole seconds. */
  readonly heardAt: number;
  readonly _v: 1;
}

/** A closed log, whose pieces were joined into one object; later it expires. */
export interface WholeLog {
  /** Absent once its time is over. */
  readonly objectKey?: string;
  /** When it was joined, or expired: whole seconds. */
  readonly at: number;
  /** The pieces and former objects are gone: nobody reads them any more. */
  readonly isTidy?: true;
}

/** A repository has fewer runs than this, ever, and fewer jobs. */
const numbersPerRepository = 2 ** 26;

/** The id of a repository's run, and of one of its jobs: the number alone would be other repositories' as well. */
export const runId = (repositoryId: number, number: number): number =>
  repositoryId * numbersPerRepository + number;
export const jobId = runId;

/** The number of a repository's run or job in its id; undefined when the id is one of another repository. */
export function numberInRepository(repositoryId: number, id: number): number | undefined {
  const { repositoryId: found, number } = placeOf(id);
  return found === repositoryId && number > 0 ? number : undefined;
}

/** The repository and the number of a run or job, by its id. */
export function placeOf(id: number): { readonly repositoryId: number; readonly number: number } {
  const repositoryId = Math.floor(id / numbersPerRepository);
  return { repositoryId, number: id - repositoryId * numbersPerRepository };
}

/** The runs of a repository, and all about their jobs. */
export const runsPartition = (repositoryId: number): string => `${repositoryPartition(repositoryId)}#RUN`;
export const runPrefix = "N#";
export const runKey = (repositoryId: number, number: number): TableKey => ({
  pk: runsPartition(repositoryId),
  sk: `${runPrefix}${padded(number)}`,
});
export const runSourceKey = (repositoryId: number, number: number): TableKey => ({
  pk: runsPartition(repositoryId),
  sk: `S#${padded(number)}`,
});
export const formerAttemptsOf = (repositoryId: number, number: number) => ({
  pk: runsPartition(repositoryId),
  prefix: `A#${padded(number)}#`,
});
export const formerAttemptKey = (repositoryId: number, number: number, attempt: number): TableKey => ({
  pk: runsPartition(repositoryId),
  sk: `A#${padded(number)}#${padded(attempt)}`,
});
export const jobBlockPrefix = "J#";
export const jobBlockKey = (repositoryId: number, lastJob: number): TableKey => ({
  pk: runsPartition(repositoryId),
  sk: `${jobBlockPrefix}${padded(lastJob)}`,
});
export const taskKey = (repositoryId: number, jobNumber: number): TableKey => ({
  pk: runsPartition(repositoryId),
  sk: `T#${padded(jobNumber)}`,
});
/** A user whose code was allowed to run here: later runs of it need no approval. */
export interface ApprovedUser extends Item {
  readonly _v: 1;
}
export const approvedUserKey = (repositoryId: number, userId: number): TableKey => ({
  pk: runsPartition(repositoryId),
  sk: `OK#${padded(userId)}`,
});

/** An event that made a run: it makes no second one. Gone after days, when the event can't come again. */
export interface RunGuard extends Item {
  /** Seconds. */
  readonly ttl: number;
  readonly _v: 1;
}
export const runGuardKey = (repositoryId: number, once: string): TableKey => ({
  pk: runsPartition(repositoryId),
  sk: `E#${createHash("sha256").update(once).digest("base64url")}`,
});

/** The runs of a group that are not over, in their order (semantics §64.5). */
export interface RunGroup extends Item {
  readonly members: readonly GroupMember[];
  readonly v: number;
  readonly _v: 1;
}
export interface GroupMember {
  readonly number: number;
  /** It cancels those before it. */
  readonly cancels: boolean;
}
export const runGroupKey = (repositoryId: number, group: string): TableKey => ({
  pk: runsPartition(repositoryId),
  sk: `G#${createHash("sha256").update(group).digest("base64url")}`,
});
