import type { Actor } from "../actor.ts";
import { attempts } from "../concurrency/attempts.ts";
import { conflict } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { grouped } from "../grouped.ts";
import { equals } from "../table/condition.ts";
import { keyText, update, type Write } from "../table/write.ts";
import { countWrite, type Notification, type NotificationStatus, unreadBy } from "./notification.table.ts";
import type { ReadableNotification } from "./notification.ts";

/** With the counts of as many repositories, in one transaction. */
const markedAtOnce = 45;
const mostAttempts = 20;
const mostConflicts = 3;

/**
 * Gives notifications of one user a status, and answers them as they are then. Those that got news meanwhile, or
 * were removed, are left as they are, and out of the answer.
 */
export async function markNotifications(
  forge: Forge,
  actor: Actor,
  readable: readonly ReadableNotification[],
  status: NotificationStatus,
): Promise<ReadableNotification[]> {
  const marked: ReadableNotification[] = [];
  for (let at = 0; at < readable.length; at += markedAtOnce) {
    const some = readable.slice(at, at + markedAtOnce);
    const after = await markSome(
      forge,
      actor.user.id,
      some.map(({ notification }) => notification),
      status,
    );
    for (const { notification, access } of some) {
      const now = after.get(notification.id);
      if (now !== undefined) marked.push({ notification: now, access });
    }
  }
  return marked;
}

async function markSome(
  { table }: Forge,
  userId: number,
  some: readonly Notification[],
  status: NotificationStatus,
): Promise<Map<number, Notification>> {
  let current = some;
  for await (const _attempt of attempts(mostAttempts)) {
    const changed = current.filter((one) => one.status !== status);
    const writes = changed.map(({ pk, sk, v }) =>
      update({ pk, sk }, { set: { status, v: v + 1 } }, equals({ v })),
    );
    const isDone =
      changed.length === 0 ||
      (await table.transact([...writes, ...countWrites(userId, changed, status)], { mostConflicts }))
        .committed;
    if (isDone) return new Map(current.map((one) => [one.id, { ...one, status }]));
    const found = await table.getAll<Notification>(current);
    current = current.flatMap((one) => {
      const now = found.get(keyText(one));
      return now?.at === one.at ? [now] : [];
    });
  }
  throw conflict("these notifications keep changing; try again");
}

/** The counts of unread ones that change with their status: one write for each repository. */
function countWrites(userId: number, changed: readonly Notification[], status: NotificationStatus): Write[] {
  const by = status === "unread" ? 1 : -1;
  const counted = changed.filter((one) => by === 1 || one.status === "unread");
  return [...grouped(counted, ({ repositoryId }) => repositoryId)].map(([repositoryId, group]) =>
    countWrite(userId, repositoryId, unreadBy(group, by)),
  );
}
