import type { Forge } from "../forge.ts";
import { runJobSequenceKey, runSequenceKey } from "../ids.ts";
import type { PartCursor, PartStep } from "../jobs/passes.ts";
import type { EndedRepository, MovedRepository } from "../lifecycle/lifecycle.ts";
import { removePage } from "../lifecycle/remove-page.ts";
import type { TableKey } from "../table/write.ts";
import { type Run, runPrefix, runsPartition } from "./actions.table.ts";
import { isRunOver } from "./job/job-states.ts";
import { logObjects } from "./log/log.table.ts";
import { waitCounterKey } from "./queue/queue.table.ts";
import { waitingRows } from "./queue/waiting.ts";
import { changeRun } from "./run/change-run.ts";
import { removePlans } from "./schedule/plans.ts";

const runsPerStep = 50;

/** Goes through the runs of a repository, a bounded number in a step. */
async function eachRun(
  { table }: Forge,
  repositoryId: number,
  inner: PartCursor | undefined,
  work: (run: Run) => Promise<unknown>,
): Promise<PartStep> {
  const { items, next } = await table.query<Run>({
    ...{ pk: runsPartition(repositoryId), prefix: runPrefix, limit: runsPerStep },
    ...(inner === undefined ? {} : { after: String(inner) }),
  });
  for (const run of items) await work(run);
  return { hasFound: items.length > 0, hasMore: next !== undefined, inner: next };
}

/** Takes the runs of a repository that is being deleted out of all queues: none enters one any more. */
export const leaveQueues = (
  forge: Forge,
  { repositoryId }: EndedRepository,
  inner: PartCursor | undefined,
): Promise<PartStep> => eachRun(forge, repositoryId, inner, (run) => forge.table.removeAll(waitingRows(run)));

const objectsAtOnce = 500;

/** Removes the runs and the logs. */
export async function removeRuns(forge: Forge, { repositoryId }: EndedRepository): Promise<PartStep> {
  const found: string[] = [];
  for await (const { key } of forge.blobs.list(logObjects(repositoryId))) {
    found.push(key);
    if (found.length === objectsAtOnce) break;
  }
  await forge.blobs.remove(found);
  if (found.length === objectsAtOnce) return { hasFound: true, hasMore: true };
  const step = await removePage(forge, { pk: runsPartition(repositoryId) });
  if (step.hasMore) return step;
  const waitCounter = waitCounterKey({ kind: "repository", repositoryId });
  const counters = [runSequenceKey(repositoryId), runJobSequenceKey(repositoryId), waitCounter];
  const hasCounters = await removeThose(forge, counters);
  return { ...step, hasFound: step.hasFound || hasCounters };
}

/** Whether any of some items was there: a step that finds nothing writes nothing, so that a job gets on after kills. */
async function removeThose({ table }: Forge, keys: readonly TableKey[]): Promise<boolean> {
  const items = [...(await table.getAll(keys)).values()];
  await table.removeAll(items);
  return items.length > 0;
}

/** Removes the counter of an owner who is gone. */
export async function removeOwnersCounter(forge: Forge, ownerId: number): Promise<PartStep> {
  return { hasFound: await removeThose(forge, [waitCounterKey({ kind: "owner", ownerId })]), hasMore: false };
}

/** From now on the new owner's runners take the jobs of what is not over. */
export const moveRuns = (
  forge: Forge,
  { repositoryId, ownerId }: MovedRepository,
  inner: PartCursor | undefined,
): Promise<PartStep> =>
  eachRun(forge, repositoryId, inner, async (run) => {
    if (run.ownerId === ownerId || isRunOver(run)) return;
    await changeRun(forge, repositoryId, run.number, (now) =>
      isRunOver(now) ? undefined : { set: { ownerId } },
    );
  });

/** The plans of a former owner go, and what they started is cancelled (semantics §11.3). */
export async function movePlans(forge: Forge, { repositoryId }: MovedRepository): Promise<PartStep> {
  await removePlans(forge, repositoryId);
  return { hasFound: false, hasMore: false };
}
