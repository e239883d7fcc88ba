import type { Forge } from "../../forge.ts";
import { ownerKey } from "../../owner/owner.table.ts";
import { exists } from "../../table/condition.ts";
import { keyText, remove, update, type Write } from "../../table/write.ts";
import {
  type StarOrWatch,
  starOrWatchKey,
  starOrWatchMirrorKey,
  starsAndWatchesOfRepository,
} from "../star-watch.table.ts";

/**
 * The number of repositories that a user has starred: in the user's item, because whatever shows a user shows it. It
 * moves no edit version. For the transaction with the star; the user must exist.
 */
export const starCountWrite = (userId: number, by: number): Write =>
  update(ownerKey(userId), { add: { starred: by } }, exists);

/**
 * Ends some stars of a repository that is being deleted, at both ends; answers how many there were. May be repeated.
 */
export async function endStars({ table }: Forge, repositoryId: number, limit: number): Promise<number> {
  const stars = await table.queryAll<StarOrWatch>({
    ...starsAndWatchesOfRepository("star", repositoryId),
    limit,
  });
  const owners = await table.getAll(stars.map(({ userId }) => ownerKey(userId)));
  await Promise.all(
    stars.map(({ userId }) =>
      table.transact([
        remove(starOrWatchKey("star", repositoryId, userId), exists),
        remove(starOrWatchMirrorKey("star", userId, repositoryId)),
        // A user who is deleted meanwhile fails the transaction: the next step finds the star again, without the user.
        ...(owners.has(keyText(ownerKey(userId))) ? [starCountWrite(userId, -1)] : []),
      ]),
    ),
  );
  return stars.length;
}
