import type { Forge } from "../forge.ts";
import type { JobKind } from "../jobs/job.ts";
import { equals } from "../table/condition.ts";
import { remove } from "../table/write.ts";
import { removeNotifications } from "./internal/remove-notifications.ts";
import {
  type Notification,
  notificationsOf,
  type UnreadCount,
  unreadCountsOf,
} from "./notification.table.ts";

/** The kind of the job that keeps a user's notifications few. */
export const sweepKind = "sweep-notifications";

/** The most notifications that one user keeps, beside the few that come before the next sweep. */
export const mostKept = 5_000;
const readKeptMs = 90 * 24 * 3_600_000;
/** Each new notification whose id divides by this has its user's swept. */
const idsPerSweep = 64;
const removedPerStep = 200;

/** Whether the user of a new notification is to be swept: about once for every 64 that they get. */
export const isSweepDue = (id: number): boolean => id % idsPerSweep === 0;

/** The order in which notifications go when a user has too many. */
const rank = { read: 0, unread: 1, pinned: 2 } as const;

/**
 * The notifications that a user keeps no longer: read ones after 90 days, and what is more than 5,000, read ones first,
 * pinned ones last, the oldest first of each.
 */
export function surplusOf(all: readonly Notification[], nowMs: number): Notification[] {
  const inTurn = all.toSorted(
    (one, other) => rank[one.status] - rank[other.status] || one.at - other.at || one.id - other.id,
  );
  return inTurn.filter(
    ({ status, at }, place) =>
      (status === "read" && at < nowMs - readKeptMs) || place < inTurn.length - mostKept,
  );
}

/** Removes what a user keeps no longer, and counts of repositories where nothing is unread. May be repeated. */
export const sweepNotifications: JobKind<{ readonly userId: number }, { readonly round: number }> = {
  async step(forge, { userId }, cursor) {
    const all = await forge.table.queryAll<Notification>(notificationsOf(userId));
    const surplus = surplusOf(all, forge.clock.now());
    await removeNotifications(forge, surplus.slice(0, removedPerStep));
    if (surplus.length > removedPerStep) return { cursor: { round: (cursor?.round ?? 0) + 1 } };
    await removeEmptyCounts(forge, userId);
    return { done: true };
  },
};

async function removeEmptyCounts({ table }: Forge, userId: number): Promise<void> {
  const counts = await table.queryAll<UnreadCount>(unreadCountsOf(userId));
  for (const { pk, sk, n } of counts) if (n === 0) await table.write(remove({ pk, sk }, equals({ n: 0 })));
}
