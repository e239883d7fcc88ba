import type { Forge } from "../forge.ts";
import {
  changeStarOrWatch,
  findStarOrWatch,
  listStarsOrWatchesOfRepository,
  listStarsOrWatchesOfUser,
  type RelatedIds,
  type StarredOrWatched,
} from "../star-watch/star-watch.ts";

/** Whether a user starred a repository. */
export const isStarred = async (forge: Forge, repositoryId: number, userId: number): Promise<boolean> =>
  (await findStarOrWatch(forge, "star", repositoryId, userId)) !== undefined;

/** Stars a repository; does nothing when the user has. 403 when its owner and the user block each other. */
export const createStar = (forge: Forge, repository: StarredOrWatched, userId: number): Promise<void> =>
  changeStarOrWatch(forge, "star", repository, userId, () => "asked");

/** Takes the star away; nothing happens when there is none. */
export const removeStar = (forge: Forge, repository: StarredOrWatched, userId: number): Promise<void> =>
  changeStarOrWatch(forge, "star", repository, userId, () => undefined);

/** Ids of users who starred a repository, oldest star first. */
export const listStarsOfRepository = (forge: Forge, repositoryId: number): Promise<RelatedIds> =>
  listStarsOrWatchesOfRepository(forge, "star", repositoryId);

/** Ids of the repositories that a user starred, newest star first. */
export const listStarsOfUser = (forge: Forge, userId: number): Promise<RelatedIds> =>
  listStarsOrWatchesOfUser(forge, "star", userId);
