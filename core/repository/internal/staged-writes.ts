import type { Forge } from "../../forge.ts";
import { cancelJob, type NewJob, startJob } from "../../jobs/job.ts";
import type { Write } from "../../table/write.ts";

/** Longer than any request: a repository that does not exist by then will not be created. */
const longestCreationMs = 15 * 60_000;
const mostPerTransaction = 60;

/**
 * The job that removes items written for a repository before its creation. Write it first, and cancel it (`cancelJob`) in
 * the transaction that creates the repository.
 */
export const cleanUpJob = (forge: Forge, repositoryId: number): NewJob =>
  startJob(
    forge,
    "empty-repository",
    { repositoryId, hiddenAt: forge.clock.now() },
    { waitMs: longestCreationMs },
  );

/**
 * The part of these writes that belongs in the transaction that creates the repository: all, when there is room for
 * them. Else they are written now, 60 at once, because nobody reads them before the repository exists; the answer then
 * cancels the job that would remove them again.
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
  return [cancelJob(cleanUp.id)];
}
