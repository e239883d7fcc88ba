import type { Forge } from "../forge.ts";
import { type Finding, shownKey } from "./finding.ts";
import type { TableFacts } from "./table-facts.ts";

const outboxGraceMs = 2 * 60_000;
const jobGraceMs = 15 * 60_000;

/** Invariant 20: nothing lies in the outbox for longer than two minutes, no job is due for longer than fifteen. */
export function checkDuties({ clock }: Forge, { outbox, jobs }: TableFacts): Finding[] {
  const now = clock.now();
  const remedy = "sees to itself while the tick runs: find out why it does not, in the log";
  const late = outbox.filter(({ sk }) => Number(sk.split("#")[0]) < now - outboxGraceMs);
  const stalled = jobs.filter((job) => Math.max(job.until, job.createdAt) < now - jobGraceMs);
  return [
    ...late.map((item) => ({
      item,
      problem: "an event was neither received nor sent again for two minutes",
    })),
    ...stalled.map((job) => ({
      item: job,
      problem: `the job ${job.kind} waits for a worker for more than 15 minutes: ${job.problem ?? "no failure is known"}`,
    })),
  ].map(({ item, problem }) => ({ invariant: 20, key: shownKey(item), problem, remedy }));
}

/** Invariant 3: of a repository that is not there, nothing else is, unless a job is still at it. */
export function checkOrphans({ repositoryIds, wikiIds, mentionedIds, jobs }: TableFacts): Finding[] {
  const emptied = new Set(jobs.map((job) => (job.arguments as { repositoryId?: number }).repositoryId));
  return [...mentionedIds]
    .filter((id) => !repositoryIds.has(id) && !wikiIds.has(id) && !emptied.has(id))
    .map((id) => ({
      invariant: 3,
      key: `R#${id}`,
      problem: "there are items of a repository that is not there",
      remedy: "left by a creation or a deletion that was stopped; they take room and nothing else",
    }));
}
