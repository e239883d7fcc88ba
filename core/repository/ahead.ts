import type { Forge } from "../forge.ts";
import { callOff, type NewJob, startJob } from "../jobs/job.ts";
import type { Write } from "../table.ts";

/** Longer than any request: then what was written ahead is removed, unless the repository came to be. */
const longestCreationMs = 15 * 60_000;
const mostPerTransaction = 60;

/** A job that removes what is written ahead of a repository of this id, unless the transaction that creates it calls it off. */
export const cleanUpOf = (forge: Forge, repositoryId: number): NewJob =>
  startJob(
    forge,
    "empty-repository",
    { repositoryId, hiddenAt: forge.clock.now() },
    { waitMs: longestCreationMs },
  );

/**
 * The writes for the transaction that creates a repository: those given, where it has room for them. What is more is
 * written ahead, where nobody looks before the repository is there.
 */
export async function writtenAhead(
  forge: Forge,
  repositoryId: number,
  writes: readonly Write[],
): Promise<readonly Write[]> {
  if (writes.length <= mostPerTransaction) return writes;
  const cleanUp = cleanUpOf(forge, repositoryId);
  await forge.table.write(cleanUp.write);
  for (let at = 0; at < writes.length; at += mostPerTransaction) {
    await forge.table.transact(writes.slice(at, at + mostPerTransaction));
  }
  return [callOff(cleanUp.id)];
}
