import { isForgeError } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { type Repository, repositoryKey } from "../repository/repository.table.ts";
import {
  changeStarOrWatch,
  findStarOrWatch,
  listStarsOrWatchesOfRepository,
  listStarsOrWatchesOfUser,
  type RelatedIds,
  type StarredOrWatched,
} from "../star-watch/star-watch.ts";

/** Whether a user watches a repository. */
export async function isWatched(forge: Forge, repositoryId: number, userId: number): Promise<boolean> {
  const starOrWatch = await findStarOrWatch(forge, "watch", repositoryId, userId);
  return starOrWatch !== undefined && starOrWatch.mode !== "refused";
}

/** Watches a repository; does nothing when the user does already. 403 when its owner and the user block each other. */
export const createWatch = (forge: Forge, repository: StarredOrWatched, userId: number): Promise<void> =>
  changeStarOrWatch(forge, "watch", repository, userId, () => "asked");

/** Ends it: an automatic watch is refused from then on, an asked one just ends (semantics §42). */
export const removeWatch = (forge: Forge, repository: StarredOrWatched, userId: number): Promise<void> =>
  changeStarOrWatch(forge, "watch", repository, userId, (before) =>
    before === "auto" || before === "refused" ? "refused" : undefined,
  );

/** Ends it for a user who has lost it: nothing is refused. */
export const endWatch = (forge: Forge, repository: StarredOrWatched, userId: number): Promise<void> =>
  changeStarOrWatch(forge, "watch", repository, userId, () => undefined);

/**
 * Makes a user watch a repository that they pushed to, when the instance is set so, unless they ever refused: for the
 * worker, so obstacles don't matter.
 */
export async function watchByItself(forge: Forge, repositoryId: number, userId: number): Promise<void> {
  if (!forge.config.autoWatchOnChanges) return;
  const repository = await forge.table.get<Repository>(repositoryKey(repositoryId));
  if (repository?.state !== "live") return;
  try {
    await changeStarOrWatch(forge, "watch", repository, userId, (before) => before ?? "auto");
  } catch (error) {
    if (!isForgeError(error, "forbidden")) throw error;
  }
}

/** Ids of users who watch a repository, the longest-watching first. */
export const listWatchesOfRepository = (forge: Forge, repositoryId: number): Promise<RelatedIds> =>
  listStarsOrWatchesOfRepository(forge, "watch", repositoryId);

/** Ids of the repositories that a user watches, newest first. */
export const listWatchesOfUser = (forge: Forge, userId: number): Promise<RelatedIds> =>
  listStarsOrWatchesOfUser(forge, "watch", userId);
