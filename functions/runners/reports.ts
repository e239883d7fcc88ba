import type { JobEnd } from "#core/actions/job/job-states";
import type { LogReport } from "#core/runner/update-log";
import type { TaskReport } from "#core/runner/update-task";
import { ConnectError } from "./connect-error.ts";
import type { Timestamp, UpdateLogRequest, UpdateTaskRequest } from "./messages.ts";

/** The results of the protocol by their numbers; undefined for what is not over. */
const ends: readonly (JobEnd | undefined)[] = [undefined, "success", "failure", "cancelled", "skipped"];

/** The last second of RFC 3339. */
const latestSeconds = 253_402_300_799;

/** Whole seconds; 0 for none, and for what no calendar has. */
function secondsOf(time: Timestamp | undefined): number {
  const seconds = Number(time?.seconds ?? 0n);
  return seconds > 0 && seconds <= latestSeconds ? seconds : 0;
}

/** RFC 3339 with seven digits of a second, as logs of the family have it. */
function timeText(time: Timestamp | undefined): string {
  const fraction = String(time?.nanos ?? 0)
    .padStart(9, "0")
    .slice(0, 7);
  return new Date(secondsOf(time) * 1000).toISOString().replace(".000Z", `.${fraction}Z`);
}

/** A number that counts things, within what a number holds exactly. */
function countOf(value: bigint): number {
  const count = Number(value);
  if (count < 0 || !Number.isSafeInteger(count))
    throw new ConnectError("invalid_argument", `${value} is no number of anything`);
  return count;
}

/** What a runner tells of a task, in core's words. */
export function taskReport({ state, outputs }: UpdateTaskRequest): TaskReport {
  if (state === undefined) throw new ConnectError("invalid_argument", "the state of a task is required");
  return {
    taskId: countOf(state.id),
    end: ends[state.result],
    stoppedAt: secondsOf(state.stoppedAt),
    outputs,
    steps: state.steps.map((step) => ({
      place: countOf(step.id),
      end: ends[step.result],
      startedAt: secondsOf(step.startedAt),
      stoppedAt: secondsOf(step.stoppedAt),
      firstLine: countOf(step.logIndex),
      lines: countOf(step.logLength),
    })),
  };
}

/** Rows of a log, in core's words. */
export const logReport = ({ taskId, index, rows, noMore }: UpdateLogRequest): LogReport => ({
  taskId: countOf(taskId),
  first: countOf(index),
  rows: rows.map(({ time, content }) => ({ time: timeText(time), content })),
  isLast: noMore,
});
