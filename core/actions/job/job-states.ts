import { grouped } from "../../grouped.ts";

/** The states of jobs, of steps and of whole runs (semantics §64.4). Lists hold their places: new ones go last. */
export const jobStates = [
  "success",
  "failure",
  "cancelled",
  "skipped",
  "waiting",
  "running",
  "blocked",
] as const;
export type JobState = (typeof jobStates)[number];

export const isJobState = (text: string): text is JobState => jobStates.some((state) => state === text);

/** The states that a job ends in. */
export type JobEnd = "success" | "failure" | "cancelled" | "skipped";
const ends: readonly JobState[] = ["success", "failure", "cancelled", "skipped"] satisfies JobEnd[];
export const isOver = (state: JobState): state is JobEnd => ends.includes(state);

/** What decides about a job's start. */
export interface SettledJob {
  readonly key: string;
  readonly needs: readonly string[];
  readonly hasCondition?: true;
  readonly mostAtOnce?: number;
  readonly state: JobState;
}

/**
 * The jobs after those that ended: blocked ones wait for a runner once all that they need has succeeded, or, with a
 * condition, has ended; others are skipped, and with them what needs them (semantics §64.4).
 */
export function settleJobs<Job extends SettledJob>(jobs: readonly Job[]): readonly Job[] {
  let settled = jobs;
  for (;;) {
    const next = settleOnce(settled);
    if (next === settled) return settled;
    settled = next;
  }
}

function settleOnce<Job extends SettledJob>(jobs: readonly Job[]): readonly Job[] {
  const ofKey = grouped(jobs, ({ key }) => key);
  const started = new Map<string, number>();
  for (const { key, state } of jobs) {
    if (state === "waiting" || state === "running") started.set(key, (started.get(key) ?? 0) + 1);
  }
  let hasChanged = false;
  const next = jobs.map((job): Job => {
    if (job.state !== "blocked") return job;
    const needed = job.needs.flatMap((key) => ofKey.get(key) ?? []);
    if (!needed.every(({ state }) => isOver(state))) return job;
    const runs = job.hasCondition === true || needed.every(({ state }) => state === "success");
    const beside = started.get(job.key) ?? 0;
    if (runs && beside >= (job.mostAtOnce ?? Number.POSITIVE_INFINITY)) return job;
    if (runs) started.set(job.key, beside + 1);
    hasChanged = true;
    return { ...job, state: runs ? "waiting" : "skipped" };
  });
  return hasChanged ? next : jobs;
}

/** In this order: the first of them that a job is in. */
const worstFirst = ["cancelled", "failure", "running", "waiting", "blocked"] as const;

/** The state of a run, from those of its jobs (semantics §64.4). It may read `failure` while other jobs still run. */
export function runStateOf(jobs: readonly { readonly state: JobState }[]): JobState {
  if (jobs.every(({ state }) => state === "skipped")) return "skipped";
  return worstFirst.find((one) => jobs.some(({ state }) => state === one)) ?? "success";
}

/** Whether nothing of a run is left to do. */
export const isRunOver = ({ jobs }: { readonly jobs: readonly { readonly state: JobState }[] }): boolean =>
  jobs.every(({ state }) => isOver(state));
