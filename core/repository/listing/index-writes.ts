import type { Forge } from "../../forge.ts";
import { deltaWrite, tombstoneWrite } from "../../list-index/list-index.ts";
import { keyText, type Write } from "../../table/write.ts";
import { activityWrite, repositoryIndex } from "../repository.index.ts";
import {
  cardKey,
  countKeys,
  type Repository,
  repositoryActivity,
  repositoryEntry,
  repositoryKey,
} from "../repository.table.ts";

/** The repository's entry in the list index, for the transaction that creates or changes it to this. */
export const repositoryDelta = (repository: Repository): Write =>
  deltaWrite(repositoryIndex, repository.id, repositoryEntry(repository), repository.v);

/** Marks the repository as gone in the list index, for the transaction that hides it. */
export const repositoryTombstone = (repository: Repository): Write =>
  tombstoneWrite(repositoryIndex, repository.id, repositoryEntry(repository), repository.v);

/**
 * Writes size, stars, forks and time of the last change into the list index, where lists sort by them: for the worker,
 * after a push or a change of counts. Does nothing when the repository is gone or newer activity is there.
 */
export async function noteRepositoryActivity(forge: Forge, repositoryId: number): Promise<void> {
  const readAt = forge.clock.now();
  const repository = await forge.table.get<Repository>(repositoryKey(repositoryId));
  if (repository?.state !== "live") return;
  const card = cardKey(repository.ownerId, repositoryId);
  const found = await forge.table.getAll([card, ...countKeys(repository)]);
  if (!found.has(keyText(card))) return;
  await forge.table.write(activityWrite(repositoryId, repositoryActivity(repository, found), readAt));
}
