import { createHash } from "node:crypto";
import type { Forge } from "./forge.ts";
import { paddedTime } from "./ids.ts";
import { type Item, put, type TableKey, type Write } from "./table.ts";

/** Something that is to be done at a time, for the tick to find (data model §3, `DUE#`). */
export type Due<Payload extends object> = TableKey & Payload & { readonly _v: 1 };

/** What is due of one kind is spread over this many partitions, so that the tick finds it with as many queries. */
const parts = 4;
const duePerPart = 50;

const partition = (kind: string, part: number): string => `DUE#${kind}#${part}`;

/** Notes something of a kind to be done at a time in milliseconds. `key` tells it from others of that time. */
export function dueWrite(kind: string, atMs: number, key: string, payload: object): Write {
  const part = (createHash("sha256").update(key).digest()[0] ?? 0) % parts;
  const item: Item = { pk: partition(kind, part), sk: `${paddedTime(atMs)}#${key}`, ...payload, _v: 1 };
  return put(item);
}

/** What is due of a kind by now, the longest due first, a bounded number. Who has done it removes the item. */
export async function findDue<Payload extends object>(
  { table, clock }: Pick<Forge, "table" | "clock">,
  kind: string,
): Promise<Due<Payload>[]> {
  const to = `${paddedTime(clock.now())}#~`;
  const found = await Promise.all(
    Array.from({ length: parts }, (_, part) =>
      table.queryAll<Item>({ pk: partition(kind, part), to, limit: duePerPart }),
    ),
  );
  return found.flat() as Item[] as Due<Payload>[];
}
