import { nowSeconds } from "../../clock.ts";
import { attempts } from "../../concurrency/attempts.ts";
import { conflict } from "../../errors.ts";
import { type OutboxEntry, outbox, send } from "../../events/outbox.ts";
import type { Forge } from "../../forge.ts";
import { noteDeltaWrite } from "../../list-index/compaction-requests.ts";
import { type Repository, repositoryKey } from "../../repository/repository.table.ts";
import { equals } from "../../table/condition.ts";
import { check, put, type Write } from "../../table/write.ts";
import type { Run, RunJob } from "../actions.table.ts";
import { isRunOver, runStateOf } from "../job/job-states.ts";
import { announceWaiting, waitingWrites } from "../queue/waiting.ts";
import { lookWrites } from "../watchdog/looks.ts";
import { runDelta, runIndex } from "./run.index.ts";
import { findRun } from "./run.ts";

/** The kind of the message that a run has changed: statuses of its commit and runs that waited for it follow. */
export const runChangedKind = "run-changed";

/** A change of a run: its members as they become, and what else the transaction writes. */
export interface RunChange {
  readonly set: Partial<Omit<Run, "pk" | "sk" | "id" | "repositoryId" | "number" | "v" | "_v" | "state">>;
  readonly unset?: readonly ("needsApproval" | "isQueued")[];
  readonly writes?: readonly Write[];
}

/**
 * Changes a run as it is now: `change` is asked anew after each lost race, and undefined from it changes nothing.
 * Answers the run afterwards; undefined when there is none, or its repository is being deleted. Conflict when others
 * change it all the time.
 */
export async function changeRun(
  forge: Forge,
  repositoryId: number,
  number: number,
  change: (run: Run) => RunChange | undefined,
): Promise<Run | undefined> {
  for await (const lost of attempts()) {
    if (lost > 0 && !(await isLive(forge, repositoryId))) return undefined;
    const before = await findRun(forge, repositoryId, number);
    const wanted = before && change(before);
    if (before === undefined || wanted === undefined) return before;
    const after = await saveRun(forge, before, wanted);
    if (after !== undefined) return after;
  }
  throw conflict("the run is being changed by others; try again");
}

const isLive = async ({ table }: Forge, repositoryId: number): Promise<boolean> =>
  (await table.get<Repository>(repositoryKey(repositoryId)))?.state === "live";

/**
 * Writes a change of a run as it was read; undefined when it, or what else was written, is otherwise by now, or its
 * repository is being deleted: what removes it has perhaps passed the run's places in the queues.
 */
export async function saveRun(forge: Forge, before: Run, change: RunChange): Promise<Run | undefined> {
  const after = runAfter(forge, before, change);
  const event = runEvent(forge, after);
  const { committed } = await forge.table.transact([
    check(repositoryKey(before.repositoryId), equals({ state: "live" })),
    put(after, equals({ v: before.v })),
    runDelta(after),
    ...waitingWrites(before, after),
    event.write,
    ...lookWrites(forge, before, after),
    ...(change.writes ?? []),
  ]);
  if (!committed) return undefined;
  await afterRunWrite(forge, before, after, event);
  return after;
}

/** The message that tells of a change, for its transaction. */
export const runEvent = (forge: Forge, { repositoryId, number }: Run): OutboxEntry =>
  outbox(forge, "repository-events", { kind: runChangedKind, repositoryId, runNumber: number });

/** The work after a run's transaction: messages and looks. The tick and the queue do later what a crash leaves out. */
export async function afterRunWrite(
  forge: Forge,
  before: Run | undefined,
  after: Run,
  event: OutboxEntry,
): Promise<void> {
  const waited = new Set(before?.jobs.filter(isWaiting).map((job) => job.number));
  if (after.jobs.some((job) => isWaiting(job) && !waited.has(job.number)))
    await announceWaiting(forge, after);
  await send(forge, [event]);
  await noteDeltaWrite(forge, runIndex(after.repositoryId));
}

const isWaiting = ({ state }: RunJob): boolean => state === "waiting";

/** A run after a change: its state and times follow from its jobs. */
function runAfter(forge: Forge, before: Run, { set, unset = [] }: RunChange): Run {
  const changed: Run = { ...before, ...set, v: before.v + 1 };
  const kept = Object.fromEntries(
    Object.entries(changed).filter(([name]) => !unset.some((one) => one === name)),
  ) as unknown as Run;
  return followJobs(forge, { ...kept, jobs: sincePending(forge, before.jobs, kept.jobs) });
}

/** Jobs after a change: those that are to wait, or to run again, do so from now on. */
function sincePending(
  { clock }: Pick<Forge, "clock">,
  before: readonly RunJob[],
  after: readonly RunJob[],
): readonly RunJob[] {
  if (before === after) return after;
  const states = new Map(before.map(({ number, state }) => [number, state]));
  return after.map((job) => {
    const isPending = job.state === "waiting" || job.state === "blocked";
    return isPending && states.get(job.number) !== job.state
      ? { ...job, pendingSince: nowSeconds(clock) }
      : job;
  });
}

/** The run with the members that follow from its jobs. */
export function followJobs({ clock }: Pick<Forge, "clock">, run: Run): Run {
  const now = nowSeconds(clock);
  const { waitsSince, ...rest } = run;
  const since = run.jobs.some(isWaiting) ? { waitsSince: waitsSince ?? clock.now() } : {};
  const hasStarted = run.jobs.some(({ startedAt }) => startedAt > 0);
  const isOver = isRunOver(run);
  return {
    ...rest,
    ...since,
    state: runStateOf(run.jobs),
    startedAt: run.startedAt || (hasStarted ? now : 0),
    stoppedAt: isOver ? run.stoppedAt || now : 0,
    updatedAt: now,
  } as Run;
}
