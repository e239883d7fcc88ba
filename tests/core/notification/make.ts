import type { Forge } from "#core/forge";
import { ownerKey } from "#core/owner/owner.table";
import { starOrWatchKey } from "#core/star-watch/star-watch.table";
import { put } from "#core/table/write";
import type { User } from "#core/user/user.table";

const usersAtOnce = 50;

/** Makes so many more users watch a repository, beside the verbs; their ids begin at `firstId`. */
export async function addWatchers(
  { table }: Forge,
  like: User,
  repositoryId: number,
  firstId: number,
  count: number,
): Promise<number[]> {
  const ids = Array.from({ length: count }, (_, place) => firstId + place);
  for (let at = 0; at < count; at += usersAtOnce) {
    const writes = ids.slice(at, at + usersAtOnce).flatMap((userId) => {
      const user = { ...like, ...ownerKey(userId), id: userId, name: `watcher-${userId}` };
      const watch = { userId, repositoryId, mode: "asked", createdAt: 1, _v: 1 };
      return [put(user), put({ ...starOrWatchKey("watch", repositoryId, userId), ...watch })];
    });
    await table.transact(writes);
  }
  return ids;
}
