import type { Item, TableKey } from "../table.ts";

/** What a change overwrote and its event has to tell (`changes.title.from`, `changes.body.from`), or what it removed. */
export interface EventDetail {
  readonly title?: string;
  readonly body?: string;
  readonly removed?: Item;
}

/** The detail of one event, for as long as its message may take. */
export interface EventDetailItem extends Item, EventDetail {
  /** Seconds: from then on the item counts as absent. */
  readonly ttl: number;
  readonly _v: 1;
}

/** Where the detail of an event lies. */
export const eventDetailKey = (eventId: string): TableKey => ({ pk: `EVENT#${eventId}`, sk: "#" });
