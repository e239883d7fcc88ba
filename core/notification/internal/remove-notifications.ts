import { attempts } from "../../concurrency/attempts.ts";
import { conflict } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import { grouped } from "../../grouped.ts";
import { absent, any, equals } from "../../table/condition.ts";
import { keyText, remove, type Write } from "../../table/write.ts";
import {
  countWrite,
  type Notification,
  notificationIdKey,
  notificationKey,
  subjectRowKey,
  unreadBy,
  unreadCountKey,
} from "../notification.table.ts";

/** Four items each, in one transaction. */
const removedAtOnce = 20;
const mostAttempts = 20;

/**
 * Removes notifications with their rows, and counts the unread ones no more; with a condition, only while it holds:
 * Conflict otherwise. May be repeated.
 */
export async function removeNotifications(
  forge: Forge,
  notifications: readonly Notification[],
  condition?: Write,
): Promise<void> {
  for (let at = 0; at < notifications.length; at += removedAtOnce) {
    await removeSome(forge, notifications.slice(at, at + removedAtOnce), condition);
  }
}

async function removeSome(
  { table }: Forge,
  some: readonly Notification[],
  condition: Write | undefined,
): Promise<void> {
  let left = some;
  for await (const _attempt of attempts(mostAttempts)) {
    if (left.length === 0) return;
    const outcome = await table.transact([
      ...(condition === undefined ? [] : [condition]),
      ...left.flatMap((one) => [
        remove(notificationKey(one.userId, one.id), equals({ v: one.v })),
        remove(subjectRowKey(one, one.userId), any(absent, equals({ id: one.id }))),
        remove(notificationIdKey(one.id)),
      ]),
      ...unreadLess(left),
    ]);
    if (outcome.committed) return;
    if (condition !== undefined && outcome.failed.includes(0)) break;
    const found = await table.getAll<Notification>(left);
    left = left.flatMap((one) => found.get(keyText(one)) ?? []);
  }
  throw conflict("others keep changing these notifications; try again");
}

/** An item may be named once in a transaction: one count for all that a user has of a repository. */
function unreadLess(notifications: readonly Notification[]): Write[] {
  const unread = notifications.filter(({ status }) => status === "unread");
  const groups = grouped(unread, ({ userId, repositoryId }) => keyText(unreadCountKey(userId, repositoryId)));
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    return first === undefined ? [] : [countWrite(first.userId, first.repositoryId, unreadBy(group, -1))];
  });
}
