import type { Forge } from "../forge.ts";
import { callOff, type NewJob, startJob } from "../jobs/job.ts";
import type { Write } from "../table/write.ts";

/** Longer than any request: a repository that is not there by then will not come to be. */
const longestCreationMs = 15 * 60_000;
const mostPerTransaction = 60;

/**
 * The job that removes what was written for a repository before its creation. To be written first, and called off
 * (`callOff`) in the transaction that creates the repository.
 */
export const cleanUpJob = (forge: Forge, repositoryId: number): NewJob =>
  startJob(
    forge,
    "empty-repository",
    { repositoryId, hiddenAt: forge.clock.now() },
    { waitMs: longestCreationMs },
  );

/**
 * What of these writes belongs into the transaction that creates the repository: all, where it has room for them. Else
 * they are written now, 60 at once, as nobody reads them before the repository is there; left is the end of the job
 * that would remove them again.
 */
export async function stageWrites(
  forge: Forge,
  repositoryId: number,
  writes: readonly Write[],
): Promise<readonly Write[]> {
  if (writes.length <= mostPerTransaction) return writes;
  const cleanUp = cleanUpJob(forge, repositoryId);
  await forge.table.write(cleanUp.write);
  for (let at = 0; at < writes.length; at += mostPerTransaction) {
    await forge.table.transact(writes.slice(at, at + mostPerTransaction));
  }
  return [callOff(cleanUp.id)];
}
