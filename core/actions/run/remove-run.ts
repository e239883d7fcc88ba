import { removeArtifactsOfRun } from "../../artifact/remove.ts";
import { badRequest, conflict } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import { noteDeltaWrite } from "../../list-index/compaction-requests.ts";
import { tombstoneWrite } from "../../list-index/list-index.ts";
import { repositoryKey } from "../../repository/repository.table.ts";
import { equals } from "../../table/condition.ts";
import { check, remove, type TableKey } from "../../table/write.ts";
import {
  type FormerAttempt,
  formerAttemptsOf,
  jobBlockKey,
  type Run,
  runKey,
  runSourceKey,
  taskKey,
} from "../actions.table.ts";
import { isRunOver } from "../job/job-states.ts";
import { logObjectsOf, logPiecesOf } from "../log/log.table.ts";
import { runIndex } from "./run.index.ts";

/**
 * Removes a run that is over, with the logs and artifacts of all its attempts (semantics §63.3), one attempt after the
 * other. A crash leaves a run without some of them, which can be removed again. BadRequest while it is not over;
 * Conflict when it is run again, or its repository is being deleted.
 */
export async function removeRun(forge: Forge, run: Run): Promise<void> {
  if (!isRunOver(run)) throw badRequest("the run is not over yet: cancel it, or wait");
  const { repositoryId, number, id, v } = run;
  while (await removeArtifactsOfRun(forge, repositoryId, id));
  for (const former of await forge.table.queryAll<FormerAttempt>(formerAttemptsOf(repositoryId, number))) {
    await removeTasks(forge, former);
    await forge.table.removeAll([former, blockOf(former)]);
  }
  await removeTasks(forge, run);
  const { committed } = await forge.table.transact([
    check(repositoryKey(repositoryId), equals({ state: "live" })),
    remove(runKey(repositoryId, number), equals({ v })),
    remove(runSourceKey(repositoryId, number)),
    remove(blockOf(run)),
    tombstoneWrite(runIndex(repositoryId), number, run, v + 1),
  ]);
  if (!committed) throw conflict("the run has changed meanwhile; look at it again");
  await noteDeltaWrite(forge, runIndex(repositoryId));
}

/** The jobs that were made for an attempt. */
const madeFor = ({ jobs, attempt }: Run) => jobs.filter((job) => job.attempt === attempt);

/** The key of the item that leads from the jobs of an attempt to their run. */
const blockOf = (run: Run): TableKey =>
  jobBlockKey(run.repositoryId, Math.max(...madeFor(run).map(({ number }) => number)));

async function removeTasks(forge: Forge, run: Run): Promise<void> {
  for (const { number, startedAt } of madeFor(run))
    if (startedAt > 0) await removeTask(forge, run.repositoryId, number);
}

/** Removes what a runner reported of a job: objects that no piece names, too. */
async function removeTask({ table, blobs }: Forge, repositoryId: number, jobNumber: number): Promise<void> {
  const pieces = await table.queryAll(logPiecesOf(repositoryId, jobNumber));
  await table.removeAll([...pieces, taskKey(repositoryId, jobNumber)]);
  const objects: string[] = [];
  for await (const { key } of blobs.list(logObjectsOf(repositoryId, jobNumber))) objects.push(key);
  await blobs.remove(objects);
}
