import { nowSeconds } from "../clock.ts";
import { defined } from "../defined.ts";
import type { Forge } from "../forge.ts";
import { put, type Write } from "../table/write.ts";
import { type EventDetail, type EventDetailItem, eventDetailKey } from "./event-detail.table.ts";

const keptSeconds = 4 * 24 * 3600;

/** Keeps the former texts of an event, for the same transaction: a message may not carry them. Bodies end at 192 KB. */
export function eventDetail(forge: Forge, eventId: string, detail: EventDetail): Write {
  return put({ ...eventDetailKey(eventId), ...detail, ttl: nowSeconds(forge.clock) + keptSeconds, _v: 1 });
}

/** The former texts of an event; empty when it has none. */
export async function findEventDetail(forge: Forge, eventId: string): Promise<EventDetail> {
  const item = await forge.table.get<EventDetailItem>(eventDetailKey(eventId));
  if (item === undefined || item.ttl <= nowSeconds(forge.clock)) return {};
  const { title, body, ref, removed } = item;
  return {
    ...defined({ title, body, ref, removed }),
  };
}
