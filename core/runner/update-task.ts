import { isDeepStrictEqual } from "node:util";
import { type TaskStep, taskKey } from "../actions/actions.table.ts";
import { updateJobState } from "../actions/job/end-job.ts";
import { isOver, type JobEnd, type JobState } from "../actions/job/job-states.ts";
import { nowSeconds } from "../clock.ts";
import { isForgeError, notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { exists } from "../table/condition.ts";
import { update } from "../table/write.ts";
import { addOutputs } from "./outputs.ts";
import type { Runner } from "./runner.table.ts";
import { removeRunner } from "./runner.ts";
import { type FoundTask, findServedTask, type ServedTask } from "./task.ts";

/** What a runner tells of a step: which one, by its place. Times are whole seconds, 0 for "not yet". */
export interface StepReport {
  readonly place: number;
  readonly end?: JobEnd | undefined;
  readonly startedAt: number;
  readonly stoppedAt: number;
  readonly firstLine: number;
  readonly lines: number;
}

/** What a runner tells of a task. Without an end it still runs. */
export interface TaskReport {
  readonly taskId: number;
  readonly end?: JobEnd | undefined;
  readonly stoppedAt: number;
  readonly steps: readonly StepReport[];
  readonly outputs: Readonly<Record<string, string>>;
}

/** The task of a runner; NotFound for an unknown one and for another runner's alike. */
export async function getTaskOfRunner(forge: Forge, runner: Runner, taskId: number): Promise<FoundTask> {
  const found = await findServedTask(forge, taskId);
  if (found === undefined || found.task.runnerId !== runner.id)
    throw notFound(`task does not exist [id: ${taskId}]`);
  return found;
}

/**
 * Takes what a runner tells of its task (semantics §60.3), and answers the state of the job, by which the runner learns
 * that it was cancelled, and the names of all outputs that are kept. A task that is over stays as it is.
 */
export async function updateTask(
  forge: Forge,
  runner: Runner,
  report: TaskReport,
): Promise<{ readonly state: JobState; readonly outputNames: readonly string[] }> {
  const found = await getTaskOfRunner(forge, runner, report.taskId);
  const { run, task, job } = found;
  const { repositoryId, number: runNumber } = run;
  const place = { repositoryId, runNumber, jobNumber: task.jobNumber };
  const { outputNames = [] } = task;
  // Of a former attempt: the runner may stop.
  if (job === undefined || job.state !== "running") {
    await forgetEphemeral(forge, runner, { ...found, isOver: true });
    return { state: job?.state ?? "cancelled", outputNames };
  }
  await keepSteps(forge, repositoryId, task, report.steps);
  const names =
    Object.keys(report.outputs).length === 0 ? outputNames : await addOutputs(forge, place, report.outputs);
  if (report.end === undefined) return { state: "running", outputNames: names };
  const state = await updateJobState(forge, place, report.end, report.stoppedAt || nowSeconds(forge.clock));
  await forgetEphemeral(forge, runner, { ...found, isOver: true });
  return { state: state ?? "cancelled", outputNames: names };
}

/** A runner's word counts for a while: it is written that often at most, unless a step changed. */
const heardEverySeconds = 30;

async function keepSteps(
  { table, clock }: Forge,
  repositoryId: number,
  task: ServedTask,
  reports: readonly StepReport[],
): Promise<void> {
  const byPlace = new Map(reports.map((report) => [report.place, report]));
  const steps = task.steps.map((step, place) => stepAfter(step, byPlace.get(place)));
  const heardAt = nowSeconds(clock);
  const isSame = isDeepStrictEqual(steps, task.steps);
  if (isSame && heardAt - task.heardAt < heardEverySeconds) return;
  const set = { heardAt, ...(isSame ? {} : { steps }) };
  await table.write(update(taskKey(repositoryId, task.jobNumber), { set }, exists));
}

function stepAfter(step: TaskStep, report: StepReport | undefined): TaskStep {
  if (report === undefined || isOver(step.state)) return step;
  const { startedAt, stoppedAt, firstLine, lines } = report;
  const state = report.end ?? (startedAt > 0 ? "running" : step.state);
  return { name: step.name, state, startedAt, stoppedAt, firstLine, lines };
}

/** An ephemeral runner goes once its job is over and the log is whole. */
export async function forgetEphemeral(
  forge: Forge,
  { isEphemeral, place, id }: Runner,
  { task, isOver: isJobOver }: Pick<FoundTask, "task"> & { readonly isOver: boolean },
): Promise<void> {
  if (!isEphemeral || !isJobOver || task.isLogSealed !== true) return;
  await removeRunner(forge, place, id).catch((error: unknown) => {
    if (!isForgeError(error, "not-found")) throw error;
  });
}
