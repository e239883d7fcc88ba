import type { Forge } from "../forge.ts";
import type { Checks } from "../lifecycle/check/checks.ts";
import { type Finding, shownKey } from "../lifecycle/check/finding.ts";
import type { TableFacts } from "../lifecycle/check/table-facts.ts";
import type { Job } from "./job.table.ts";

const jobGraceMs = 15 * 60_000;
const jobKind = "JOB#<part> / <job>";

/** Invariant 20: no job is due for longer than fifteen minutes. */
function checkJobs({ clock }: Forge, facts: TableFacts): Finding[] {
  const stalled = facts
    .all<Job>(jobKind)
    .filter((job) => Math.max(job.until, job.createdAt) < clock.now() - jobGraceMs);
  return stalled.map((job) => ({
    invariant: 20,
    key: shownKey(job),
    problem: `the job ${job.kind} waits for a worker for more than 15 minutes: ${job.problem ?? "no failure is known"}`,
    remedy: "sees to itself while the tick runs: find out why it does not, in the log",
  }));
}

export const jobChecks: Checks = { reads: [jobKind], served: [checkJobs] };
