import { nowSeconds } from "../clock.ts";
import type { Forge } from "../forge.ts";
import { type Item, put, type TableKey, type Write } from "../table.ts";

/** What a change overwrote and its event has to tell (`changes.title.from`, `changes.body.from`), or what it removed. */
export interface EventDetail {
  readonly title?: string;
  readonly body?: string;
  readonly removed?: Item;
}

interface DetailItem extends Item, EventDetail {
  readonly ttl: number;
  readonly _v: 1;
}

const keptSeconds = 4 * 24 * 3600;
const key = (eventId: string): TableKey => ({ pk: `EVENT#${eventId}`, sk: "#" });

/** Keeps the former texts of an event, for the same transaction: a message may not carry them. Bodies end at 192 KB. */
export function eventDetail(forge: Forge, eventId: string, detail: EventDetail): Write {
  return put({ ...key(eventId), ...detail, ttl: nowSeconds(forge.clock) + keptSeconds, _v: 1 });
}

/** The former texts of an event; empty when it has none. */
export async function findEventDetail(forge: Forge, eventId: string): Promise<EventDetail> {
  const item = await forge.table.get<DetailItem>(key(eventId));
  if (item === undefined || item.ttl <= nowSeconds(forge.clock)) return {};
  const { title, body, removed } = item;
  return {
    ...(title === undefined ? {} : { title }),
    ...(body === undefined ? {} : { body }),
    ...(removed === undefined ? {} : { removed }),
  };
}
