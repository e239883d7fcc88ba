import { nowSeconds } from "../../clock.ts";
import type { Forge } from "../../forge.ts";
import type { DueAnswer } from "../../jobs/due.ts";
import { equals } from "../../table/condition.ts";
import { keyText, update } from "../../table/write.ts";
import { type JobTask, type Run, taskKey, type WholeLog } from "../actions.table.ts";
import { isRunOver } from "../job/job-states.ts";
import { expireLog, joinLog, mostJoinFailures, noteJoinFailure, tidyLog } from "../log/join-log.ts";
import { removeRun } from "../run/remove-run.ts";
import { findAttempt } from "./former-attempts.ts";

const daySeconds = 86_400;
/** Former objects of a log stay for this long, for requests that read them: none lives longer. */
const readersSeconds = 3_600;
/** A log that could not be joined is tried again after this long. */
const againSeconds = 3_600;
/** A look joins no more; the next tick goes on. */
const mostJoined = { bytes: 128 * 2 ** 20, pieces: 10_000 };

/** How much a look has joined so far. */
interface Joined {
  bytes: number;
  pieces: number;
}

/**
 * Does what is due for what an attempt at a run has left: joins the logs of its jobs once they are closed, removes them
 * when their time is over, and at last the run. Answers when to look again.
 */
export async function keepAttempt(forge: Forge, run: Run, attempt: number): Promise<DueAnswer> {
  const kept = await findAttempt(forge, run, attempt);
  if (kept === undefined || !isRunOver(kept)) return true;
  const now = nowSeconds(forge.clock);
  const isLast = attempt === run.attempt;
  const goesAt = isLast ? run.stoppedAt + forge.config.runRetentionDays * daySeconds : never;
  if (goesAt <= now) {
    await removeRun(forge, run);
    return true;
  }
  const joined: Joined = { bytes: 0, pieces: 0 };
  let again = goesAt;
  for (const task of await tasksOf(forge, kept)) {
    const isEnough = joined.bytes >= mostJoined.bytes || joined.pieces >= mostJoined.pieces;
    const next = isEnough ? now : await keepLog(forge, kept, task, joined);
    again = Math.min(again, next);
    if (isEnough) break;
  }
  return again === never || { againAtMs: again * 1000 };
}

const never = Number.POSITIVE_INFINITY;

/** The tasks of the jobs that were made for an attempt. */
async function tasksOf({ table }: Forge, { repositoryId, jobs, attempt }: Run): Promise<JobTask[]> {
  const taken = jobs.filter((job) => job.attempt === attempt && job.startedAt > 0);
  const keys = taken.map(({ number }) => taskKey(repositoryId, number));
  const found = await table.getAll<JobTask>(keys);
  return keys.flatMap((key) => found.get(keyText(key)) ?? []);
}

/** Does what is due for one log, and answers when to look again, in whole seconds. */
async function keepLog(forge: Forge, run: Run, task: JobTask, joined: Joined): Promise<number> {
  const { repositoryId } = run;
  const { log, logLines, logBytes, logPieces = 0 } = task;
  const now = nowSeconds(forge.clock);
  if (task.isLogSealed !== true) {
    const silentAt = task.heardAt + forge.config.zombieTaskSeconds;
    if (silentAt > now || !(await sealLog(forge, repositoryId, task))) return Math.max(silentAt, now);
  }
  if (logLines === 0) return never;
  if (log !== undefined) return keepWholeLog(forge, run, { ...task, log });
  if ((task.joinFailures ?? 0) >= mostJoinFailures) return keepUntilOver(forge, run, task);
  joined.bytes += logBytes;
  joined.pieces += logPieces;
  try {
    return (await joinLog(forge, repositoryId, task)) ? now + readersSeconds : now;
  } catch (error) {
    await noteJoinFailure(forge, repositoryId, task, error);
    return now + againSeconds;
  }
}

async function keepWholeLog(
  forge: Forge,
  run: Run,
  task: JobTask & { readonly log: WholeLog },
): Promise<number> {
  const { log } = task;
  const now = nowSeconds(forge.clock);
  if (log.isTidy !== true) {
    const readAt = log.at + readersSeconds;
    if (readAt > now) return readAt;
    await tidyLog(forge, run.repositoryId, task);
  }
  if (log.objectKey === undefined) return never;
  const goesAt = logGoesAt(forge, run);
  if (goesAt <= now && log.isTidy !== true) return now;
  return keepUntilOver(forge, run, task);
}

const logGoesAt = ({ config }: Forge, { stoppedAt }: Run): number =>
  stoppedAt + config.logRetentionDays * daySeconds;

/** Takes a log away once its time is over: as one object, or as pieces that never made one. */
async function keepUntilOver(forge: Forge, run: Run, task: JobTask): Promise<number> {
  const goesAt = logGoesAt(forge, run);
  const now = nowSeconds(forge.clock);
  if (goesAt > now) return goesAt;
  return (await expireLog(forge, run.repositoryId, task)) ? now + readersSeconds : now;
}

/** Closes the log of a job that is over and whose runner says nothing more; false when it did meanwhile. */
const sealLog = ({ table }: Forge, repositoryId: number, { jobNumber, heardAt, logLines }: JobTask) =>
  table.write(
    update(taskKey(repositoryId, jobNumber), { set: { isLogSealed: true } }, equals({ heardAt, logLines })),
  );
