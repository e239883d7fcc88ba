import { isForgeError } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { changeMark, findMark, listMarksOfRepository, listMarksOfUser, type Marked } from "../mark/mark.ts";
import { type Repository, repositoryKey } from "../repository/repository.table.ts";

/** Whether a user watches a repository. */
export async function isWatched(forge: Forge, repositoryId: number, userId: number): Promise<boolean> {
  const mark = await findMark(forge, "watch", repositoryId, userId);
  return mark !== undefined && mark.mode !== "refused";
}

/** Watches a repository; nothing happens when the user does. 403 where its owner and he block each other. */
export const createWatch = (forge: Forge, repository: Marked, userId: number): Promise<void> =>
  changeMark(forge, "watch", repository, userId, () => "asked");

/** Ends it: what came by itself is refused from then on, what was asked for just ends (semantics §42). */
export const removeWatch = (forge: Forge, repository: Marked, userId: number): Promise<void> =>
  changeMark(forge, "watch", repository, userId, (before) =>
    before === "auto" || before === "refused" ? "refused" : undefined,
  );

/** Ends it for who has it no more: nothing is refused. */
export const endWatch = (forge: Forge, repository: Marked, userId: number): Promise<void> =>
  changeMark(forge, "watch", repository, userId, () => undefined);

/**
 * Has a user watch what he pushed to, where the instance is set so, unless he ever refused: for the worker, so whatever
 * stands in the way is no matter.
 */
export async function watchByItself(forge: Forge, repositoryId: number, userId: number): Promise<void> {
  if (!forge.config.autoWatchOnChanges) return;
  const repository = await forge.table.get<Repository>(repositoryKey(repositoryId));
  if (repository?.state !== "live") return;
  try {
    await changeMark(forge, "watch", repository, userId, (before) => before ?? "auto");
  } catch (error) {
    if (!isForgeError(error, "forbidden")) throw error;
  }
}

/** Ids of who watches a repository, who has watched it longest first. */
export const listWatchesOfRepository = (forge: Forge, repositoryId: number): Promise<number[]> =>
  listMarksOfRepository(forge, "watch", repositoryId);

/** Ids of the repositories that a user watches, newest first. */
export const listWatchesOfUser = (forge: Forge, userId: number): Promise<number[]> =>
  listMarksOfUser(forge, "watch", userId);
