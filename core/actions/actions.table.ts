import { createHash } from "node:crypto";
import type { ObjectId } from "../git/format/object-format.ts";
import { padded, paddedTime } from "../ids.ts";
import { repositoryPartition } from "../repository/repository.table.ts";
import type { Item, TableKey } from "../table/write.ts";
import { wellFormed } from "../text.ts";
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
  /** Who runs it, or did. */
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
  /** Of pull requests: the branches that they want to come into, and from. */
  readonly baseRef?: string;
  readonly headRef?: string;
  /** Of a pull request from a fork: its jobs get no secrets. */
  readonly isFromFork?: true;
  /** Nobody has allowed it yet: its jobs stay blocked. */
  readonly needsApproval?: true;
  /** For whose code it needed that (-1: who knows): they are approved with it. Absent in old ones: for the actor's. */
  readonly unapproved?: readonly number[];
  /** Whose event it was. */
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

/** What became of a closed log: its pieces were joined into one object, and later its time was over. */
export interface WholeLog {
  /** Absent once its time is over. */
  readonly objectKey?: string;
  /** When it came to that, whole seconds. */
  readonly at: number;
  /** Nobody reads the former objects any more: they are gone, and so are the pieces. */
  readonly isTidy?: true;
}

/** A run of lines of a log, by the number of its first. */
export interface LogPiece extends Item {
  readonly objectKey: string;
  readonly lines: number;
  readonly bytes: number;
  readonly _v: 1;
}

/** A run in a queue of waiting jobs: some of its jobs wait for a runner with these labels. */
export interface WaitingRun extends Item {
  readonly repositoryId: number;
  readonly runNumber: number;
  /** The sets of labels of the jobs that wait in this queue. */
  readonly labels: readonly (readonly string[])[];
  readonly _v: 1;
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
/** The pieces of a job's log, in order. */
export const logPiecesOf = (repositoryId: number, jobNumber: number) => ({
  pk: runsPartition(repositoryId),
  prefix: `L#${padded(jobNumber)}#`,
});
export const logPieceKey = (repositoryId: number, jobNumber: number, firstLine: number): TableKey => ({
  pk: runsPartition(repositoryId),
  sk: `L#${padded(jobNumber)}#${padded(firstLine)}`,
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

/** Where the objects of a repository's logs lie, and those of one job. */
export const logObjects = (repositoryId: number): string => `r/${repositoryId}/logs/`;
export const logObjectsOf = (repositoryId: number, jobNumber: number): string =>
  `${logObjects(repositoryId)}${jobNumber}/`;

/** Whose jobs a runner may take: everybody's, an owner's, or a repository's. */
export type RunnerLevel =
  | { readonly kind: "global" }
  | { readonly kind: "owner"; readonly ownerId: number }
  | { readonly kind: "repository"; readonly repositoryId: number };

/** The levels whose runners may take the jobs of a run. */
export const levelsOf = ({ repositoryId, ownerId }: Pick<Run, "repositoryId" | "ownerId">): RunnerLevel[] => [
  { kind: "global" },
  { kind: "owner", ownerId },
  { kind: "repository", repositoryId },
];

function queueOf(level: RunnerLevel): string {
  if (level.kind === "global") return "WAIT#G#";
  return level.kind === "owner" ? `WAIT#O#${level.ownerId}#` : `WAIT#R#${level.repositoryId}#`;
}

/**
 * The queue of a level's jobs that want these labels: those that want one label alone wait apart from those that want
 * it among others, so that nobody blocks them by labels that no runner has.
 */
export function waitingPartition(level: RunnerLevel, labels: readonly string[]): string {
  const [first = "", ...others] = [...new Set(labels)].sort();
  const text = encodeURIComponent(wellFormed(first));
  return `${queueOf(level)}${text}${others.length > 0 ? "+" : ""}`;
}
export const waitingKey = (
  partition: string,
  { repositoryId, number }: Pick<Run, "repositoryId" | "number">,
  waitsSince: number,
): TableKey => ({ pk: partition, sk: `${paddedTime(waitsSince)}#${runId(repositoryId, number)}` });

/** The counter that moves whenever jobs start to wait for the runners of a level (semantics §60.3). */
export function waitCounterKey(level: RunnerLevel): TableKey {
  if (level.kind === "global") return { pk: "WAITS#G", sk: "#" };
  const pk = level.kind === "owner" ? `WAITS#O#${level.ownerId}` : `WAITS#R#${level.repositoryId}`;
  return { pk, sk: "#" };
}
