import { nowSeconds } from "../../clock.ts";
import type { Forge } from "../../forge.ts";
import { dueWrite, findDue } from "../../jobs/due.ts";
import type { Write } from "../../table/write.ts";
import { type Run, runId } from "../actions.table.ts";
import { isRunOver } from "../job/job-states.ts";
import type { ActionsPlace } from "../place.ts";

/** The kind of what is due when somebody has to look at a run. */
export const runLookKind = "runs";

/** The kind of the message that has a worker take such a look. */
export const runLookMessageKind = "look-at-run";

/**
 * A look at a run, which changes what by then has to change: ends what nobody runs any more, while the run is not over;
 * with `ended`, joins and removes what is kept of this attempt of it.
 */
export interface RunLook {
  readonly repositoryId: number;
  readonly runNumber: number;
  readonly ended?: number;
}

/** The same for a look at an ephemeral runner, which may have vanished; it is due among those at runs. */
export const runnerLookMessageKind = "look-at-runner";

/** A look at an ephemeral runner. */
export interface RunnerLook {
  readonly runner: { readonly place: ActionsPlace; readonly id: number };
  /** Planned when it took its job: the one from its registration ends then. */
  readonly hasTakenJob?: true;
}

/** Plans a look at a runner, in whole seconds. */
export const runnerLookWrite = (look: RunnerLook, at: number): Write =>
  dueWrite(runLookKind, at * 1000, `runner-${look.runner.id}${look.hasTakenJob ? "-job" : ""}`, look);

/** Plans a look, in whole seconds. Of two at the same time one is left. */
function lookWrite(look: RunLook, at: number): Write {
  const { repositoryId, runNumber, ended } = look;
  const key = `${runId(repositoryId, runNumber)}${ended === undefined ? "" : `#${ended}`}`;
  return dueWrite(runLookKind, at * 1000, key, look);
}

/**
 * The looks that a change of a run calls for. While it is not over, one is due when a job has waited for too long, and
 * one, while jobs run, when the first of them may have been lost: each look plans the next.
 */
export function lookWrites(
  { clock, config }: Pick<Forge, "clock" | "config">,
  before: Run | undefined,
  after: Run,
): Write[] {
  const { repositoryId, number: runNumber, attempt } = after;
  const now = nowSeconds(clock);
  if (isRunOver(after)) {
    const wasOver = before !== undefined && isRunOver(before);
    return wasOver ? [] : [lookWrite({ repositoryId, runNumber, ended: attempt }, now)];
  }
  const isNew = before === undefined || before.attempt < attempt;
  const hasStarted = isRunning(after) && (before === undefined || !isRunning(before));
  return [
    ...(isNew ? [now + config.abandonedJobSeconds] : []),
    ...(hasStarted ? [now + config.zombieTaskSeconds] : []),
  ].map((at) => lookWrite({ repositoryId, runNumber }, at));
}

const isRunning = ({ jobs }: Run): boolean => jobs.some(({ state }) => state === "running");

/** The tick has so many looks taken, four times over: a look sends no other away. */
const looksPerPart = 250;

/** For the tick: has workers take the looks that are due, a bounded number; answers how many. */
export async function startDueLooks(forge: Forge): Promise<number> {
  const due = await findDue<RunLook | RunnerLook>(forge, runLookKind, { perPart: looksPerPart });
  const minute = Math.floor(nowSeconds(forge.clock) / 60);
  const messages = due.map((look) => {
    const { pk, sk } = look;
    const kind = "runner" in look ? runnerLookMessageKind : runLookMessageKind;
    return { kind, pk, sk, eventId: `${kind}-${sk}-${minute}` };
  });
  if (messages.length > 0) await forge.queues.send("repository-events", messages);
  return due.length;
}
