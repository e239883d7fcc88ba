import type { Forge } from "#core/forge";
import { nextIds } from "#core/ids";
import { writesOf } from "#core/notification/internal/told";
import { countWrite } from "#core/notification/notification.table";
import { ownerKey } from "#core/owner/owner.table";
import { starOrWatchKey } from "#core/star-watch/star-watch.table";
import { put } from "#core/table/write";
import type { User } from "#core/user/user.table";
import { writeMany } from "#tests/support/write-many";

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

/** Gives a user so many unread notifications about issues of each repository, beside the verbs: from #1 on. */
export async function addNotifications(
  forge: Forge,
  userId: number,
  repositoryIds: readonly number[],
  count: number,
): Promise<void> {
  const ids = await nextIds(forge.table, "notification", count * repositoryIds.length);
  const told = ids.flatMap((newId, place) => {
    const repositoryId = repositoryIds[Math.floor(place / count)] ?? 0;
    const number = 1 + (place % count);
    const news = { userId, repositoryId, number, kind: "issue", at: newId * 1000, newId } as const;
    return writesOf(news, undefined).filter((write) => "put" in write);
  });
  const counts = repositoryIds.map((repositoryId) => countWrite(userId, repositoryId, { issue: count }));
  await writeMany(forge, count === 0 ? [] : [...told, ...counts]);
}
