import { removeArtifactsOfRun } from "../artifact/remove.ts";
import { badRequest, conflict } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { noteDeltaWrite } from "../list-index/compaction-requests.ts";
import { tombstoneWrite } from "../list-index/list-index.ts";
import { equals } from "../table/condition.ts";
import { remove } from "../table/write.ts";
import {
  type FormerAttempt,
  formerAttemptsOf,
  logObjectsOf,
  logPiecesOf,
  type Run,
  runKey,
  runSourceKey,
  taskKey,
} from "./actions.table.ts";
import { isRunOver } from "./job-states.ts";
import { runIndex } from "./run.index.ts";

/**
 * Removes a run that is over, with the logs and artifacts of all its attempts (semantics §63.3). A crash leaves a run
 * without some of them, which can be removed again. BadRequest while it is not over; Conflict when it is run again.
 */
export async function removeRun(forge: Forge, run: Run): Promise<void> {
  if (!isRunOver(run)) throw badRequest("the run is not over yet: cancel it, or wait");
  const { repositoryId, number, id, v } = run;
  while (await removeArtifactsOfRun(forge, repositoryId, id));
  const former = await forge.table.queryAll<FormerAttempt>(formerAttemptsOf(repositoryId, number));
  const taken = [run, ...former].flatMap(({ jobs }) => jobs.filter(({ startedAt }) => startedAt > 0));
  for (const jobNumber of new Set(taken.map((job) => job.number)))
    await removeTask(forge, repositoryId, jobNumber);
  await forge.table.removeAll(former);
  const { committed } = await forge.table.transact([
    remove(runKey(repositoryId, number), equals({ v })),
    remove(runSourceKey(repositoryId, number)),
    tombstoneWrite(runIndex(repositoryId), number, run, v + 1),
  ]);
  if (!committed) throw conflict("the run has changed meanwhile; look at it again");
  await noteDeltaWrite(forge, runIndex(repositoryId));
}

/** Removes what a runner reported of a job: objects that no piece names, too. */
async function removeTask({ table, blobs }: Forge, repositoryId: number, jobNumber: number): Promise<void> {
  const pieces = await table.queryAll(logPiecesOf(repositoryId, jobNumber));
  await table.removeAll([...pieces, taskKey(repositoryId, jobNumber)]);
  const objects: string[] = [];
  for await (const { key } of blobs.list(logObjectsOf(repositoryId, jobNumber))) objects.push(key);
  await blobs.remove(objects);
}
