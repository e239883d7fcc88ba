import type { Forge } from "../forge.ts";
import { grouped } from "../grouped.ts";
import { checkOrphans, orphanReads } from "../issue/orphans.check.ts";
import type { Checks } from "../lifecycle/check/checks.ts";
import { agreed, asRead, type Finding, mending, shownKey } from "../lifecycle/check/finding.ts";
import type { TableFacts } from "../lifecycle/check/table-facts.ts";
import { absent, exists } from "../table/condition.ts";
import { check, keyText, put, remove } from "../table/write.ts";
import {
  type Notification,
  type NotificationId,
  notificationIdKey,
  notificationKey,
  notificationsOf,
  type SubjectRow,
  subjectKinds,
  subjectRowKey,
  type UnreadCount,
  unreadBy,
  unreadCountKey,
} from "./notification.table.ts";

const heldKind = "U#<user>#N / T#<notification>";
const countKind = "U#<user>#N / R#<repository>";
const rowKinds = ["R#<repository>#N / ISSUE#<number>#<user>", "R#<repository>#N / REPOSITORY#<user>"];
const idKind = "NOTIFICATION#<notification> / #";
const participantKind = "I#<repository>.<number> / PART#<user>";

const rowOf = (one: Notification): SubjectRow => ({
  ...subjectRowKey(one, one.userId),
  ...{ id: one.id, userId: one.userId, _v: 1 },
});
const idOf = ({ id, userId }: Notification): NotificationId => ({ ...notificationIdKey(id), userId, _v: 1 });

/** Invariant 48: a notification is found by its subject and by its id. */
function checkFound(facts: TableFacts): Finding[] {
  const there = new Set([...rowKinds, idKind].flatMap((kind) => facts.all(kind)).map(keyText));
  return facts.all<Notification>(heldKind).flatMap((one) =>
    [rowOf(one), idOf(one)]
      .filter((item) => !there.has(keyText(item)))
      .map((item) => ({
        invariant: 48,
        key: shownKey(item),
        problem: `is missing: user ${one.userId} has the notification ${one.id}`,
        remedy: "writes it",
        repair: mending([check(one, asRead(one))], put(item, absent)),
      })),
  );
}

/** Invariant 48: what finds a notification leads to one. */
function checkLeading(facts: TableFacts): Finding[] {
  const there = new Set(facts.all<Notification>(heldKind).map(keyText));
  const leading = [
    ...rowKinds.flatMap((kind) => facts.all<SubjectRow>(kind)).map((row) => ({ item: row, id: row.id })),
    ...facts.all<NotificationId>(idKind).map((item) => ({ item, id: Number(item.pk.split("#")[1]) })),
  ];
  return leading.flatMap(({ item, id }) => {
    const key = notificationKey(item.userId, id);
    if (there.has(keyText(key))) return [];
    return [
      {
        invariant: 48,
        key: shownKey(item),
        problem: "leads to a notification that is not there",
        remedy: "removes it",
        repair: mending([check(key, absent)], remove(item, exists)),
      },
    ];
  });
}

/** Invariant 48: users count their unread notifications right. */
function checkCounts(facts: TableFacts): Finding[] {
  const countKeyOf = ({ userId, repositoryId }: Notification) => unreadCountKey(userId, repositoryId);
  const unread = facts.all<Notification>(heldKind).filter(({ status }) => status === "unread");
  const counted = grouped(unread, (one) => keyText(countKeyOf(one)));
  const counts = new Map(facts.all<UnreadCount>(countKind).map((count) => [keyText(count), count]));
  return [...new Set([...counted.keys(), ...counts.keys()])].flatMap((text): Finding[] => {
    const [found = [], told] = [counted.get(text), counts.get(text)];
    const by = unreadBy(found, 1);
    const isRight =
      (told?.n ?? 0) === found.length &&
      subjectKinds.every((kind) => (told?.[kind] ?? 0) === (by[kind] ?? 0));
    if (isRight) return [];
    const [pk = "", sk = ""] = text.split("\0");
    const userId = Number(pk.split("#")[1]);
    const repositoryId = Number(sk.split("#")[1]);
    return [
      {
        invariant: 48,
        key: shownKey({ pk, sk }),
        problem: `tells of ${told?.n ?? 0} unread notifications, there are ${found.length}`,
        remedy: "counts anew",
        repair: (forge) => recount(forge, userId, repositoryId),
      },
    ];
  });
}

async function recount({ table }: Forge, userId: number, repositoryId: number): Promise<boolean> {
  const key = unreadCountKey(userId, repositoryId);
  const found = await agreed(async () => {
    const told = await table.get<UnreadCount>(key);
    const all = await table.queryAll<Notification>(notificationsOf(userId));
    const unread = all.filter((one) => one.repositoryId === repositoryId && one.status === "unread");
    return { told, unread };
  });
  if (found === undefined) return false;
  const { told, unread } = found;
  const fresh: UnreadCount = { ...key, repositoryId, n: unread.length, ...unreadBy(unread, 1), _v: 1 };
  return table.write(put(fresh, asRead(told)));
}

export const notificationChecks: Checks = {
  reads: [heldKind, countKind, ...rowKinds, idKind, participantKind, ...orphanReads],
  table: [(_, facts) => [...checkFound(facts), ...checkLeading(facts), ...checkCounts(facts)]],
  live: [checkOrphans(participantKind)],
};
