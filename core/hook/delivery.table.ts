import { paddedTime } from "../ids.ts";
import type { Item, TableKey } from "../table/write.ts";
import type { EventType } from "./event-types.ts";
import type { HookParent } from "./hook.table.ts";

/** The result of one attempt to deliver; times are milliseconds. */
export interface Attempt {
  readonly number: number;
  readonly startedAt: number;
  readonly durationMs: number;
  /**
   * `answered`: an HTTP answer came, whatever its status. `no-answer`: none came. `refused`: the target is not
   * permitted, or the hook may not be sent to. `interrupted`: the worker was stopped; it may or may not have reached
   * the receiver.
   */
  readonly outcome: "answered" | "no-answer" | "refused" | "interrupted";
  readonly status?: number;
  /** For people; absent when answered. */
  readonly reason?: string;
}

/** One event for one hook: the record of the request and the answer, kept for 7 days (D-DELIVERY). */
export interface Delivery extends Item {
  /** The UUID in the delivery headers; the same for every attempt. */
  readonly id: string;
  readonly hookId: number;
  readonly parent: HookParent;
  readonly eventType: EventType;
  /** The delivery that somebody asked to send once more. */
  readonly redeliveryOf?: string;
  /** Sent with secrets of the site administrators (D-DEFAULTHOOK): others see neither the answer nor the signatures. */
  readonly isOfAdministrators?: true;
  /** JSON text; absent when it is large and lies under `payloadKey` in the bucket. */
  readonly payload?: string;
  readonly payloadKey?: string;
  /** `waiting` and `sending` lead to an end: `answered` (any HTTP answer) or `failed`. */
  readonly state: "waiting" | "sending" | "answered" | "failed";
  /** The attempt that waits or is under way, from 1. */
  readonly attempt: number;
  /** While sending: the holder of the lease, and its end in milliseconds. */
  readonly holder?: string;
  readonly until?: number;
  readonly attempts: readonly Attempt[];
  /** The last request; credentials in its address and headers are masked. */
  readonly request?: { readonly url: string; readonly headers: Readonly<Record<string, string>> };
  readonly answer?: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    /** As text, cut at a bound. */
    readonly body: string;
  };
  /** Milliseconds: when the event happened. */
  readonly createdAt: number;
  /** Seconds: from then on the record counts as absent. */
  readonly ttl: number;
  readonly _v: 1;
}

export const deliveryPartition = (hookId: number): string => `DLV#${hookId}`;
export const deliveryKey = (hookId: number, createdAt: number, id: string): TableKey => ({
  pk: deliveryPartition(hookId),
  sk: `${paddedTime(createdAt)}#${id}`,
});
