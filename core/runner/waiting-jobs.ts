import { type Run, type RunJob, runKey } from "../actions/actions.table.ts";
import type { ActionsPlace } from "../actions/place.ts";
import { findWaiting } from "../actions/queue/claim-job.ts";
import type { Forge } from "../forge.ts";
import { keyText } from "../table/write.ts";
import { levelOf } from "./fetch-task.ts";

/** A job, and the run that it belongs to. */
export interface JobOfRun {
  readonly run: Run;
  readonly job: RunJob;
}

/** The longest waiting ones; no more are looked at. */
const mostRuns = 100;

/**
 * The jobs that a runner of a place with these labels could take now, and those of the same runs that such runners work
 * on, the longest waiting runs first. Runs of which no job waits any more are not among them.
 */
export async function listWaitingJobs(
  forge: Pick<Forge, "table">,
  place: ActionsPlace,
  labels: readonly string[],
): Promise<JobOfRun[]> {
  const rows = (await findWaiting(forge, { level: levelOf(place), labels })).slice(0, mostRuns);
  const keys = rows.map(({ repositoryId, runNumber }) => runKey(repositoryId, runNumber));
  const found = await forge.table.getAll<Run>(keys);
  const known = new Set(labels);
  const fits = ({ state, runsOn }: RunJob) =>
    (state === "waiting" || state === "running") &&
    runsOn.length > 0 &&
    runsOn.every((one) => known.has(one));
  return [...new Set(keys.map(keyText))]
    .flatMap((key) => found.get(key) ?? [])
    .flatMap((run) => run.jobs.filter(fits).map((job) => ({ run, job })));
}
