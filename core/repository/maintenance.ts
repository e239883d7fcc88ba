import { send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import { consolidate } from "../git/store/maintain/consolidate.ts";
import { planConsolidation } from "../git/store/maintain/plan-consolidation.ts";
import { sweepPacks } from "../git/store/maintain/sweep-packs.ts";
import { readRoot } from "../git/store/store.ts";
import { lastId } from "../ids.ts";
import { type JobKind, startJob } from "../jobs/job.ts";
import { presentPackUsageWrites } from "../quota/card-usage.ts";
import { noteRepositoryActivity } from "./listing/index-writes.ts";

/** The kind of the job that makes one pack of many. */
export const consolidationKind = "consolidate-repository";

/** For the worker that follows a push: asks for a consolidation once packs are many. One waiting job is enough. */
export async function requestConsolidation(forge: Forge, repositoryId: number): Promise<void> {
  const root = await readRoot(forge, repositoryId);
  if (root?.state !== "live" || planConsolidation(root.packs, repositoryId) === undefined) return;
  const id = `consolidate-${repositoryId}`;
  const job = startJob(forge, consolidationKind, { repositoryId }, { id });
  if (await forge.table.write(job.write)) await send(forge, [job.message]);
}

const mostLost = 5;

/** Consolidates packs of a repository, a bounded number in each step, until they are few. */
export const consolidateRepository: JobKind<{ readonly repositoryId: number }, { readonly lost: number }> = {
  async step(forge, { repositoryId }, cursor = { lost: 0 }) {
    const extraWrites = (grownBytes: number) => presentPackUsageWrites(forge, repositoryId, grownBytes);
    const outcome = await consolidate(forge, repositoryId, { extraWrites });
    if (outcome === "consolidated") await noteRepositoryActivity(forge, repositoryId);
    const lost = cursor.lost + (outcome === "lost" ? 1 : 0);
    // The next push asks again.
    return outcome === "nothing" || lost > mostLost ? { done: true } : { cursor: { lost } };
  },
};

/** The kind of the job that looks, over and over, for objects that crashes left in the bucket. */
export const inspectionKind = "inspect-packs";
const inspectionId = "inspect-packs-0";
const inspectionEveryMs = 7 * 24 * 3_600_000;
const repositoriesPerStep = 25;

/** Looks at the packs of every id that a repository was given, some in each step; then rests for a week. */
export const inspectPacks: JobKind<object, { readonly next: number }> = {
  async step(forge, _nothing, { next } = { next: 1 }) {
    const last = await lastId(forge.table, "repository");
    const end = Math.min(next + repositoriesPerStep, last + 1);
    for (let id = next; id < end; id += 1) {
      try {
        await sweepPacks(forge, id);
      } catch (error) {
        forge.log.error("git:sweep-failed", { repositoryId: id, error });
      }
    }
    return end <= last ? { cursor: { next: end } } : { cursor: { next: 1 }, waitMs: inspectionEveryMs };
  },
};

/** Makes sure that there is such a job; once in a process is enough. Answers how many were started. */
export async function startInspection(forge: Forge): Promise<number> {
  const job = startJob(forge, inspectionKind, {}, { id: inspectionId, waitMs: inspectionEveryMs });
  return (await forge.table.write(job.write)) ? 1 : 0;
}
