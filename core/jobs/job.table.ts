import type { QueueName } from "../events/queue-message.ts";
import type { Item, TableKey } from "../table/write.ts";

/** The values that a kind of job keeps between its steps; stored as they are, so plain values only. */
export type JobValue = object;

/** Work longer than a transaction, in steps that may be repeated. Times are milliseconds. */
export interface Job extends Item {
  readonly id: string;
  readonly kind: string;
  readonly arguments: JobValue;
  /** The queue whose worker works on it; absent: repository-events. */
  readonly queue?: QueueName;
  /** The owner in whose turns it is worked on, one job of theirs at a time; absent: whenever there is a place. */
  readonly turnOf?: number;
  /** The start of the next step; absent before the first. */
  readonly cursor?: JobValue;
  /** Steps taken so far, counting those that were repeated. */
  readonly steps: number;
  /** The worker that holds the lease; absent when nobody does. */
  readonly holder?: string;
  /** The lease's end while there is a holder; else the earliest start. */
  readonly until: number;
  /** Starts since the last step that got on. */
  readonly attempts: number;
  /** The message of the last failed step. */
  readonly problem?: string;
  readonly createdAt: number;
  readonly _v: 1;
}

/** Jobs are spread over this many partitions, so that the tick finds them with as many queries. */
export const jobParts = 4;

/** One of the partitions that hold the jobs. */
export const jobPartition = (part: number): string => `JOB#${part}`;

/** The key of a job; its id determines the partition. */
export const jobKey = (id: string): TableKey => ({
  pk: jobPartition(Number.parseInt(id.slice(-1), 16) % jobParts),
  sk: id,
});

/** Whose turn it is among an owner's jobs of the queue `mirrors`. */
export interface Turn extends Item {
  readonly jobId: string;
  /** The worker. */
  readonly holder: string;
  /** Milliseconds: the end of the turn of a worker that was killed. */
  readonly until: number;
  /** Seconds. */
  readonly ttl: number;
  readonly _v: 1;
}

const turnPartition = (ownerId: number): string => `TURN#${ownerId}`;
const waitingPrefix = "WAITS#";

export const turnKey = (ownerId: number): TableKey => ({ pk: turnPartition(ownerId), sk: "#" });

/** A job that was asked for while another had the turn. */
export const waitingKey = (ownerId: number, jobId: string): TableKey => ({
  pk: turnPartition(ownerId),
  sk: `${waitingPrefix}${jobId}`,
});
/** All of them, by their ids. */
export const waitingOf = (ownerId: number) => ({ pk: turnPartition(ownerId), prefix: waitingPrefix });
export const waitingJobId = ({ sk }: TableKey): string => sk.slice(waitingPrefix.length);
