import type { Forge } from "../forge.ts";
import { ownerKey } from "../owner/owner.table.ts";
import { exists, keyText, remove as removal, update, type Write } from "../table.ts";
import { type Mark, markKey, markMirrorKey, marksOfRepository } from "./mark.table.ts";

/**
 * How many repositories a user has starred: with him, as whatever shows him shows it. It moves no edit version. For the
 * transaction with the star; he must be there.
 */
export const starred = (userId: number, by: number): Write =>
  update(ownerKey(userId), { add: { starred: by } }, exists);

/** Ends some stars of a repository that is being deleted, at both ends; how many there were. May be repeated. */
export async function endStars({ table }: Forge, repositoryId: number, limit: number): Promise<number> {
  const stars = await table.queryAll<Mark>({ ...marksOfRepository("star", repositoryId), limit });
  const owners = await table.getAll(stars.map(({ userId }) => ownerKey(userId)));
  await Promise.all(
    stars.map(({ userId }) =>
      table.transact([
        removal(markKey("star", repositoryId, userId), exists),
        removal(markMirrorKey("star", userId, repositoryId)),
        // Who goes meanwhile fails the transaction: the next step finds the star again, and him no more.
        ...(owners.has(keyText(ownerKey(userId))) ? [starred(userId, -1)] : []),
      ]),
    ),
  );
  return stars.length;
}
