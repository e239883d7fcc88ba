import type { Forge } from "../forge.ts";
import * as marks from "../mark/mark.ts";

/** Whether a user starred a repository. */
export const isStarred = async (forge: Forge, repositoryId: number, userId: number): Promise<boolean> =>
  (await marks.find(forge, "star", repositoryId, userId)) !== undefined;

/** Stars a repository; nothing happens when the user has. 403 where its owner and he block each other. */
export const create = (forge: Forge, repository: marks.Marked, userId: number): Promise<void> =>
  marks.change(forge, "star", repository, userId, () => "asked");

/** Takes the star away; nothing happens when there is none. */
export const remove = (forge: Forge, repository: marks.Marked, userId: number): Promise<void> =>
  marks.change(forge, "star", repository, userId, () => undefined);

/** Ids of who starred a repository, oldest star first. */
export const listOfRepository = (forge: Forge, repositoryId: number): Promise<number[]> =>
  marks.listOfRepository(forge, "star", repositoryId);

/** Ids of the repositories that a user starred, newest star first. */
export const listOfUser = (forge: Forge, userId: number): Promise<number[]> =>
  marks.listOfUser(forge, "star", userId);
