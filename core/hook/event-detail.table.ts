import type { Item, TableKey } from "../table/write.ts";

/** The former values that an event has to report (`changes.title.from`, `changes.body.from` …), or the removed thing. */
export interface EventDetail {
  readonly title?: string;
  readonly body?: string;
  /** The former base branch of a pull request. */
  readonly ref?: string;
  readonly removed?: Item;
}

/** The detail of one event, for as long as its message may take. */
export interface EventDetailItem extends Item, EventDetail {
  /** Seconds: from then on the item counts as absent. */
  readonly ttl: number;
  readonly _v: 1;
}

/** The key of an event's detail. */
export const eventDetailKey = (eventId: string): TableKey => ({ pk: `EVENT#${eventId}`, sk: "#" });
