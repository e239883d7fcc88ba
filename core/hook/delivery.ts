import { nowSeconds } from "../clock.ts";
import type { Forge } from "../forge.ts";
import { randomId } from "../ids.ts";
import { absent } from "../table/condition.ts";
import { put, type TableKey } from "../table/write.ts";
import { type Delivery, deliveryKey } from "./delivery.table.ts";
import { deliveryIdOf } from "./delivery-id.ts";
import type { EventType } from "./event-types.ts";
import type { Hook } from "./hook.table.ts";

/** The message that makes a worker of the webhooks queue send an attempt of a delivery. */
export type DeliveryMessage = {
  readonly kind: "delivery";
  /** The delivery's id, for log lines; the lease is in the delivery's item. */
  readonly eventId: string;
  readonly hookId: number;
  /** The sort key of the delivery's item. */
  readonly delivery: string;
  readonly attempt: number;
  /** Since when it is put off because the receiver hangs, in milliseconds. */
  readonly heldSince?: number;
};

/** A delivery's payload: inside its item, or under a key of the bucket when it is large. */
export type KeptPayload = Pick<Delivery, "payload" | "payloadKey">;

/** A new delivery: `what` tells apart the several notices of one event to one hook. */
export interface NewDelivery {
  readonly eventId: string;
  readonly what: string;
  readonly eventType: EventType;
  readonly payload: KeptPayload;
  /** Milliseconds: the time of the event; part of the key, so the same on every repetition. */
  readonly createdAt: number;
}

const keptSeconds = 7 * 24 * 3600;
/** Every attempt writes the whole item twice, so beyond this size an object is cheaper, and one serves all hooks. */
const largestInline = 16 * 1024;

/** Objects under this prefix belong to deliveries and may be removed when they are 8 days old. */
export const payloadPrefix = "deliveries/";

/** Puts a large payload into the bucket, so that items stay small; several deliveries may share it. */
export async function keepPayload(forge: Forge, text: string): Promise<KeptPayload> {
  if (Buffer.byteLength(text) <= largestInline) return { payload: text };
  const payloadKey = `${payloadPrefix}${randomId()}${randomId()}`;
  await forge.blobs.put(payloadKey, Buffer.from(text), { contentType: "application/json" });
  return { payloadKey };
}

/** The payload's JSON text. */
export async function payloadOf(forge: Forge, delivery: KeptPayload): Promise<string> {
  if (delivery.payloadKey === undefined) return delivery.payload ?? "";
  return (await forge.blobs.get(delivery.payloadKey)).toString("utf8");
}

/**
 * Records a delivery to a hook, once per event, hook and `what`: a repetition changes nothing. Answers the message that
 * starts it; sending that again does no harm.
 */
export async function createDelivery(forge: Forge, hook: Hook, given: NewDelivery): Promise<DeliveryMessage> {
  const delivery = newDelivery(forge, hook, given);
  await forge.table.write(put(delivery, absent));
  return messageOf(delivery);
}

/** The item of a delivery that waits for its first attempt. */
export function newDelivery(forge: Forge, hook: Hook, given: NewDelivery): Delivery {
  const { eventType, createdAt } = given;
  const id = deliveryIdOf(createdAt, [given.eventId, String(hook.id), given.what]);
  return {
    ...deliveryKey(hook.id, createdAt, id),
    ...{ id, hookId: hook.id, parent: hook.parent, eventType, createdAt },
    ...given.payload,
    ...{ state: "waiting", attempt: 1, attempts: [] },
    ttl: nowSeconds(forge.clock) + keptSeconds,
    _v: 1,
  };
}

/** The message of the delivery's present attempt. */
export const messageOf = ({ id, hookId, sk, attempt }: Delivery): DeliveryMessage => ({
  kind: "delivery",
  eventId: id,
  hookId,
  delivery: sk,
  attempt,
});

/** The delivery that a message names, or undefined when its record has expired. */
export async function findDelivery(forge: Forge, key: TableKey): Promise<Delivery | undefined> {
  const delivery = await forge.table.get<Delivery>(key);
  return delivery === undefined || isExpired(forge, delivery) ? undefined : delivery;
}

/** Whether a record counts as absent, even if it is still there. */
export const isExpired = (forge: Forge, delivery: Delivery): boolean =>
  delivery.ttl <= nowSeconds(forge.clock);
