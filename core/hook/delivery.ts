import { createHash } from "node:crypto";
import { nowSeconds } from "../clock.ts";
import { defined } from "../defined.ts";
import type { Forge } from "../forge.ts";
import { randomId } from "../ids.ts";
import { absent } from "../table/condition.ts";
import { put, type TableKey } from "../table/write.ts";
import { type Delivery, deliveryKey, deliveryPartition } from "./delivery.table.ts";
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
  const id = deliveryId(given.eventId, hook.id, given.what);
  const { pk, sk } = deliveryKey(hook.id, given.createdAt, id);
  const delivery: Delivery = {
    pk,
    sk,
    id,
    hookId: hook.id,
    parent: hook.parent,
    eventType: given.eventType,
    ...given.payload,
    state: "waiting",
    attempt: 1,
    attempts: [],
    createdAt: given.createdAt,
    ttl: nowSeconds(forge.clock) + keptSeconds,
    _v: 1,
  };
  await forge.table.write(put(delivery, absent));
  return messageOf(delivery);
}

/** The message of the delivery's present attempt. */
export const messageOf = ({ id, hookId, sk, attempt }: Delivery): DeliveryMessage => ({
  kind: "delivery",
  eventId: id,
  hookId,
  delivery: sk,
  attempt,
});

/** A UUID (version 8, RFC 9562) made of the names of event, hook and notice: the same whoever computes it. */
function deliveryId(eventId: string, hookId: number, what: string): string {
  const bytes = createHash("sha256").update(`${eventId}\0${hookId}\0${what}`).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/** The delivery that a message names, or undefined when its record has expired. */
export async function findDelivery(forge: Forge, key: TableKey): Promise<Delivery | undefined> {
  const delivery = await forge.table.get<Delivery>(key);
  return delivery === undefined || isExpired(forge, delivery) ? undefined : delivery;
}

/** A hook's deliveries of the last 7 days, newest first; `next` is the `after` of the following page. */
export async function listDeliveries(
  forge: Forge,
  hookId: number,
  { limit = 30, after }: { limit?: number; after?: string } = {},
): Promise<{ deliveries: Delivery[]; next?: string }> {
  const { items, next } = await forge.table.query<Delivery>({
    pk: deliveryPartition(hookId),
    reverse: true,
    limit,
    ...defined({ after }),
  });
  const deliveries = items.filter((delivery) => !isExpired(forge, delivery));
  return { deliveries, ...defined({ next }) };
}

const isExpired = (forge: Forge, delivery: Delivery): boolean => delivery.ttl <= nowSeconds(forge.clock);
