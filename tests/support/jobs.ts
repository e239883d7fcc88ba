import { resendOverdue } from "#core/events/outbox";
import { listJobs } from "#core/jobs/job";
import { runJob } from "#core/jobs/run";
import { jobKinds } from "#functions/workers/job-kinds";
import type { TestForge } from "./forge.ts";

/** What a run of a test's jobs may take: more than any does. */
const budget = { budgetMs: 60_000 };
const mostRounds = 50;
/** No request lives longer: a job that waits for that goes on. */
const longestRequestMs = 15 * 60_000;

/** Works on the jobs of one kind, once on each. */
export async function runJobs({ forge }: Pick<TestForge, "forge">, kind: string): Promise<void> {
  const jobs = await listJobs(forge);
  for (const job of jobs) if (job.kind === kind) await runJob(forge, jobKinds, job.id, budget);
}

/** Works on all jobs, and on those that they start, until none is left, while time passes as each of them waits for. */
export async function finishJobs({
  forge,
  clock,
  settle,
}: Pick<TestForge, "forge" | "clock" | "settle">): Promise<void> {
  let jobs = await listJobs(forge);
  for (let round = 0; jobs.length > 0; round += 1) {
    if (round === mostRounds) throw new Error(`jobs do not end: ${JSON.stringify(jobs)}`);
    for (const { id } of jobs) await runJob(forge, jobKinds, id, budget);
    clock.advance(longestRequestMs);
    settle();
    jobs = await listJobs(forge);
  }
  await resendOverdue(forge); // as the tick does, once nobody has received an event for long
}
