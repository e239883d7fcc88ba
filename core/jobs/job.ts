import { randomUUID } from "node:crypto";
import { defined } from "../defined.ts";
import type { OutgoingMessage } from "../events/outbox.ts";
import type { QueueName } from "../events/queue-message.ts";
import type { Forge } from "../forge.ts";
import { randomId } from "../ids.ts";
import { absent, equals } from "../table/condition.ts";
import { queryRoundRobin } from "../table/round-robin.ts";
import { put, remove, type Write } from "../table/write.ts";
import { type Job, type JobValue, jobKey, jobPartition, jobParts } from "./job.table.ts";

/**
 * The result of a step: the job is done, or the next step's cursor. With `waitMs` the job rests for at least so long,
 * and the tick continues it.
 */
export type JobStep<Cursor> = { readonly done: true } | { readonly cursor: Cursor; readonly waitMs?: number };

/**
 * A kind of job. `step` does a bounded piece of work from the cursor on (absent at the start). After a crash or a lost
 * lease a step runs again, perhaps while the first run is not quite over: it must bear that.
 */
export interface JobKind<Arguments extends JobValue, Cursor extends JobValue> {
  readonly step: (forge: Forge, args: Arguments, cursor: Cursor | undefined) => Promise<JobStep<Cursor>>;
}

/** A kind whose code is loaded with its first job: workers know every kind, and need few. */
export const loadedJob = <Arguments extends JobValue, Cursor extends JobValue>(
  load: () => Promise<JobKind<Arguments, Cursor>>,
): JobKind<Arguments, Cursor> => ({
  step: async (forge, args, cursor) => (await load()).step(forge, args, cursor),
});

/** Every kind that a worker knows, by the name in the job. */
export type JobKinds = Readonly<
  Record<string, { readonly step: (forge: Forge, args: never, cursor: never) => Promise<JobStep<JobValue>> }>
>;

/** A new job: `write` belongs in the caller's transaction; `message`, handed to `send` after it, starts it at once. */
export interface NewJob {
  readonly id: string;
  readonly write: Write;
  readonly message: OutgoingMessage;
}

const unstartedGraceMs = 30_000;
const stalledPerPart = 250;

/**
 * Prepares a job. If the message gets lost the tick starts the job, because the item itself records the work. With an
 * `id` (its last character a hexadecimal digit) it is written only while there is no other job of that id; with
 * `waitMs` the tick starts it, no earlier. Until then `cancelJob` can cancel it. `queue` names whose worker works on it:
 * that of repository events when absent. `turnOf` makes it take turns with that owner's other jobs.
 */
export function startJob(
  forge: Forge,
  kind: string,
  args: JobValue,
  options: { id?: string; waitMs?: number; queue?: QueueName; turnOf?: number } = {},
): NewJob {
  const id = options.id ?? randomId();
  const job: Job = {
    ...jobKey(id),
    id,
    kind,
    arguments: args,
    ...defined({ queue: options.queue, turnOf: options.turnOf }),
    steps: 0,
    until: options.waitMs === undefined ? 0 : forge.clock.now() + options.waitMs,
    attempts: 0,
    createdAt: forge.clock.now(),
    _v: 1,
  };
  const write = options.id === undefined ? put(job) : put(job, absent);
  return { id, write, message: jobMessage(job) };
}

/** Cancels a job that nobody has begun: for a transaction, which fails when somebody has. */
export const cancelJob = (id: string): Write => remove(jobKey(id), equals({ steps: 0, attempts: 0 }));

/** The message that makes a worker continue a job. */
export function jobMessage({ id, queue = "repository-events" }: Pick<Job, "id" | "queue">): OutgoingMessage {
  return { queue, message: { kind: "job", jobId: id, eventId: randomUUID() } };
}

/** A job at present, undefined once it is done. */
export const findJob = (forge: Forge, id: string): Promise<Job | undefined> =>
  forge.table.get<Job>(jobKey(id));

/** Every unfinished job, in 4 queries or more: for operators. */
export async function listJobs({ table }: Forge): Promise<Job[]> {
  const parts = Array.from({ length: jobParts }, (_, part) => jobPartition(part));
  return (await Promise.all(parts.map((pk) => table.queryAll<Job>({ pk })))).flat();
}

/** For the tick, in 4 queries or 8: due jobs that nobody works on, a bounded number, in turn. */
export async function findStalled(forge: Forge): Promise<Job[]> {
  const now = forge.clock.now();
  const found = await Promise.all(
    Array.from({ length: jobParts }, (_, part) =>
      queryRoundRobin<Job>(forge.table, { pk: jobPartition(part), limit: stalledPerPart }),
    ),
  );
  return found
    .flat()
    .filter((job) => job.until <= now && (job.attempts > 0 || job.createdAt <= now - unstartedGraceMs));
}
