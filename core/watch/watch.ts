import { isForgeError } from "../errors.ts";
import type { Forge } from "../forge.ts";
import * as marks from "../mark/mark.ts";
import { type Repository, repositoryKey } from "../repository/repository.table.ts";

/** Whether a user watches a repository. */
export async function isWatched(forge: Forge, repositoryId: number, userId: number): Promise<boolean> {
  const mark = await marks.find(forge, "watch", repositoryId, userId);
  return mark !== undefined && mark.mode !== "refused";
}

/** Watches a repository; nothing happens when the user does. 403 where its owner and he block each other. */
export const create = (forge: Forge, repository: marks.Marked, userId: number): Promise<void> =>
  marks.change(forge, "watch", repository, userId, () => "asked");

/** Ends it: what came by itself is refused from then on, what was asked for just ends (semantics §42). */
export const remove = (forge: Forge, repository: marks.Marked, userId: number): Promise<void> =>
  marks.change(forge, "watch", repository, userId, (before) =>
    before === "auto" || before === "refused" ? "refused" : undefined,
  );

/** Ends it for who has it no more: nothing is refused. */
export const end = (forge: Forge, repository: marks.Marked, userId: number): Promise<void> =>
  marks.change(forge, "watch", repository, userId, () => undefined);

/**
 * Has a user watch what he pushed to, where the instance is set so, unless he ever refused: for the worker, so whatever
 * stands in the way is no matter.
 */
export async function watchByItself(forge: Forge, repositoryId: number, userId: number): Promise<void> {
  if (!forge.config.autoWatchOnChanges) return;
  const repository = await forge.table.get<Repository>(repositoryKey(repositoryId));
  if (repository?.state !== "live") return;
  try {
    await marks.change(forge, "watch", repository, userId, (before) => before ?? "auto");
  } catch (error) {
    if (!isForgeError(error, "forbidden")) throw error;
  }
}

/** Ids of who watches a repository, who has watched it longest first. */
export const listOfRepository = (forge: Forge, repositoryId: number): Promise<number[]> =>
  marks.listOfRepository(forge, "watch", repositoryId);

/** Ids of the repositories that a user watches, newest first. */
export const listOfUser = (forge: Forge, userId: number): Promise<number[]> =>
  marks.listOfUser(forge, "watch", userId);
