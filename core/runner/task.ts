import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { type JobTask, jobId, placeOf, type Run, type RunJob } from "../actions/actions.table.ts";
import { findRun, findTask } from "../actions/run/run.ts";
import type { Forge } from "../forge.ts";

/** A task with the members that serve its runner. */
export interface ServedTask extends JobTask {
  /** SHA-256 of the token that the job has, in hex; absent until its runner gets it. */
  readonly tokenHash?: string;
  /** The names of the outputs that have come. */
  readonly outputNames?: readonly string[];
  /** The log has no more room: further lines are dropped. */
  readonly isLogFull?: true;
}

/** A task with its job and run. */
export interface FoundTask {
  readonly task: ServedTask;
  readonly run: Run;
  /** Absent once there is another attempt. */
  readonly job: RunJob | undefined;
}

const idDigits = 14;
const secretBytes = 13;

/** A new token for the task of a job: 40 hex digits, of which the first ones say where the task lies (semantics §61). */
export function makeTaskToken(repositoryId: number, jobNumber: number): string {
  const id = jobId(repositoryId, jobNumber).toString(16).padStart(idDigits, "0");
  return id + randomBytes(secretBytes).toString("hex");
}

export const taskTokenHash = (text: string): string => createHash("sha256").update(text).digest("hex");

/** The task of this id; the id of a task is that of its job. */
export async function findServedTask(
  forge: Pick<Forge, "table">,
  taskId: number,
): Promise<FoundTask | undefined> {
  const { repositoryId, number } = placeOf(taskId);
  const task = (await findTask(forge, repositoryId, number)) as ServedTask | undefined;
  const run = task && (await findRun(forge, repositoryId, task.runNumber));
  if (task === undefined || run === undefined) return undefined;
  return { task, run, job: run.jobs.find((one) => one.number === number) };
}

/** The running task that a token belongs to; undefined for any other text, and once its job is over. */
export async function findTaskOfToken(
  forge: Pick<Forge, "table">,
  text: string,
): Promise<(FoundTask & { readonly taskId: number }) | undefined> {
  if (!/^[0-9a-f]{40}$/.test(text)) return undefined;
  const taskId = Number.parseInt(text.slice(0, idDigits), 16);
  if (!Number.isSafeInteger(taskId)) return undefined;
  const found = await findServedTask(forge, taskId);
  if (found?.job?.state !== "running") return undefined;
  const { tokenHash = "" } = found.task;
  const shown = taskTokenHash(text);
  const isIts = tokenHash !== "" && timingSafeEqual(Buffer.from(shown), Buffer.from(tokenHash));
  return isIts ? { ...found, taskId } : undefined;
}
