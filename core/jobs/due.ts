import { createHash } from "node:crypto";
import type { Forge } from "../forge.ts";
import { paddedTime } from "../ids.ts";
import { exists } from "../table/condition.ts";
import { type Item, keyOf, put, remove, type TableKey, type Write } from "../table/write.ts";

/** Something to do at a time, for the tick to find. */
export type Due<Payload extends object> = TableKey & Payload & { readonly _v: 1 };

/** The items of one kind are spread over this many partitions, so that the tick finds them with as many queries. */
const parts = 4;
const duePerPart = 50;

const partition = (kind: string, part: number): string => `DUE#${kind}#${part}`;

/** Schedules something of a kind for a time in milliseconds. `key` tells it from others of that time. */
export function dueWrite(kind: string, atMs: number, key: string, payload: object): Write {
  const part = (createHash("sha256").update(key).digest()[0] ?? 0) % parts;
  const item: Item = { pk: partition(kind, part), sk: `${paddedTime(atMs)}#${key}`, ...payload, _v: 1 };
  return put(item);
}

/**
 * The items of a kind that are due by now, or by another time, the longest due first, a bounded number. Code that has
 * done one removes its item.
 */
export async function findDue<Payload extends object>(
  { table, clock }: Pick<Forge, "table" | "clock">,
  kind: string,
  {
    untilMs = clock.now(),
    perPart = duePerPart,
  }: { readonly untilMs?: number; readonly perPart?: number } = {},
): Promise<Due<Payload>[]> {
  const to = `${paddedTime(untilMs)}#~`;
  const found = await Promise.all(
    Array.from({ length: parts }, (_, part) =>
      table.queryAll<Item>({ pk: partition(kind, part), to, limit: perPart }),
    ),
  );
  return found.flat() as Item[] as Due<Payload>[];
}

/** All that is noted of a kind, due or not: for checks. */
export async function listDue<Payload extends object>(
  { table }: Pick<Forge, "table">,
  kind: string,
): Promise<Due<Payload>[]> {
  const found = await Promise.all(
    Array.from({ length: parts }, (_, part) => table.queryAll<Item>({ pk: partition(kind, part) })),
  );
  return found.flat() as Item[] as Due<Payload>[];
}

/** The item that a write of `dueWrite` plans, for checks; undefined when there is none. */
export const findDueOf = ({ table }: Pick<Forge, "table">, write: Write): Promise<Item | undefined> =>
  table.get(keyOf(write));

/** A failed one comes again after this long, behind the others that fell due meanwhile. */
const postponedMs = 3_600_000;

/** Whether a due item is done; false leaves it to the next time, `againAtMs` to another. */
export type DueAnswer = boolean | { readonly againAtMs: number };

/**
 * Does the due work of a kind, one item after the other, and answers how many are done. One that throws is logged and
 * comes again later: it delays no other.
 */
export async function settleDue<Payload extends object>(
  stores: Pick<Forge, "table" | "clock" | "log">,
  kind: string,
  work: (due: Due<Payload>) => Promise<DueAnswer>,
): Promise<number> {
  let settled = 0;
  for (const due of await findDue<Payload>(stores, kind)) {
    if (await settle(stores, kind, due, work)) settled += 1;
  }
  return settled;
}

/** Does one due item of a kind, as `settleDue` does: for a worker that the tick has told of it. Nothing once it is done. */
export async function settleNoted<Payload extends object>(
  stores: Pick<Forge, "table" | "clock" | "log">,
  kind: string,
  key: TableKey,
  work: (due: Due<Payload>) => Promise<DueAnswer>,
): Promise<void> {
  const due = await stores.table.get<Item>(key);
  if (due !== undefined) await settle(stores, kind, due as Item as Due<Payload>, work);
}

async function settle<Payload extends object>(
  stores: Pick<Forge, "table" | "clock" | "log">,
  kind: string,
  due: Due<Payload>,
  work: (due: Due<Payload>) => Promise<DueAnswer>,
): Promise<boolean> {
  try {
    const answer = await work(due);
    if (answer === true) await stores.table.removeAll([due]);
    else if (answer !== false) await postpone(stores, due, answer.againAtMs);
    return answer !== false;
  } catch (error) {
    stores.log.error("due:failed", { kind, key: `${due.pk} ${due.sk}`, error });
    await postpone(stores, due, stores.clock.now() + postponedMs);
    return false;
  }
}

/** Moves an item to another time, which lies ahead. */
async function postpone(
  { table, clock }: Pick<Forge, "table" | "clock">,
  due: Due<object>,
  atMs: number,
): Promise<void> {
  const [, key = ""] = /^\d+#(.*)$/.exec(due.sk) ?? [];
  const later = { ...due, sk: `${paddedTime(Math.max(atMs, clock.now() + 1))}#${key}` };
  await table.transact([remove(due, exists), put(later)]);
}
