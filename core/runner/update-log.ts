import { taskKey } from "../actions/actions.table.ts";
import { isOver } from "../actions/job/job-states.ts";
import { appendLogPiece } from "../actions/log/log.ts";
import type { Forge } from "../forge.ts";
import { exists } from "../table/condition.ts";
import { update } from "../table/write.ts";
import type { Runner } from "./runner.table.ts";
import { forgetEphemeral, getTaskOfRunner } from "./update-task.ts";

/** A line as a runner tells it, with its time in RFC 3339. */
export interface LogRow {
  readonly time: string;
  readonly content: string;
}

/** Rows of a task's log from the place of the first on. */
export interface LogReport {
  readonly taskId: number;
  readonly first: number;
  readonly rows: readonly LogRow[];
  readonly isLast: boolean;
}

const mostLineBytes = 64 * 1024;

/**
 * Takes rows of a log, and answers how many lines there are; undefined when the log is closed and these are new
 * (semantics §60.3). A log that is full goes on as though it took them: the job is not stopped by what it says.
 */
export async function updateLog(
  forge: Forge,
  runner: Runner,
  report: LogReport,
): Promise<number | undefined> {
  const { task, run, job } = await getTaskOfRunner(forge, runner, report.taskId);
  const { first, rows, isLast } = report;
  if (task.isLogFull === true) return Math.max(task.logLines, first + rows.length);
  const place = { repositoryId: run.repositoryId, jobNumber: task.jobNumber };
  const answer = await appendLogPiece(forge, place, { first, lines: rows.map(lineOf), isLast });
  if (answer.kind === "full") {
    const key = taskKey(place.repositoryId, place.jobNumber);
    await forge.table.write(update(key, { set: { isLogFull: true, isLogSealed: true } }, exists));
    return first + rows.length;
  }
  if (answer.kind !== "taken") return undefined;
  const isWhole = isLast && first + rows.length <= answer.lines;
  if (isWhole) {
    const sealed = {
      task: { ...task, isLogSealed: true },
      isOver: job === undefined || isOver(job.state),
    } as const;
    await forgetEphemeral(forge, runner, sealed);
  }
  return answer.lines;
}

/** One line: its time, and what it says up to 64 KiB. */
function lineOf({ time, content }: LogRow): string {
  const line = content.replaceAll(/[\r\n]+/g, " ");
  const bytes = Buffer.from(line);
  const shown = bytes.length <= mostLineBytes ? line : bytes.subarray(0, mostLineBytes).toString("utf8");
  return `${time} ${shown}`;
}
