import type { Forge } from "#core/forge";
import { nextIds } from "#core/ids";
import { writesOf } from "#core/notification/internal/told";
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

/** Gives a user so many unread notifications about issues of a repository, beside the verbs: from #1 on. */
export async function addNotifications(
  { table }: Forge,
  userId: number,
  repositoryId: number,
  count: number,
): Promise<void> {
  const ids = await nextIds(table, "notification", count);
  for (const [place, newId] of ids.entries()) {
    const news = { userId, repositoryId, number: place + 1, kind: "issue", at: newId * 1000, newId } as const;
    await table.transact(writesOf(news, undefined));
  }
}
