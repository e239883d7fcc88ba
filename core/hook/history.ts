import { defined } from "../defined.ts";
import { conflict, notFound, unprocessable } from "../errors.ts";
import { outbox, send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import { randomId } from "../ids.ts";
import { absent, exists } from "../table/condition.ts";
import { queryPages } from "../table/query-pages.ts";
import { check, put } from "../table/write.ts";
import { type Delivery, deliveryKey, deliveryPartition } from "./delivery.table.ts";
import { findDelivery, isExpired, keepPayload, messageOf, newDelivery, payloadOf } from "./delivery.ts";
import { timeOfDeliveryId } from "./delivery-id.ts";
import type { Hook } from "./hook.table.ts";

/** A part of a hook's history. */
export interface DeliveryPage {
  readonly deliveries: readonly Delivery[];
  /** The `before` of the following part; absent at the end. */
  readonly next?: string;
}

/**
 * A hook's deliveries of the last 7 days, newest first, those older than the one named `before` if it is given. By ids
 * and not by numbers of pages: new deliveries would push old ones from page to page.
 */
export async function listDeliveries(
  forge: Forge,
  hookId: number,
  { limit, before }: { readonly limit: number; readonly before?: string },
): Promise<DeliveryPage> {
  const after = before === undefined ? undefined : keyOfId(hookId, before).sk;
  const asked = { pk: deliveryPartition(hookId), reverse: true, limit: limit + 1, ...defined({ after }) };
  const found: Delivery[] = [];
  for await (const items of queryPages<Delivery>(forge.table, asked)) found.push(...items);
  const kept = found.filter((delivery) => !isExpired(forge, delivery));
  const deliveries = kept.slice(0, limit);
  return { deliveries, ...defined({ next: kept.length > limit ? deliveries.at(-1)?.id : undefined }) };
}

/** One delivery of a hook. NotFound when there is none of this id, or its record has expired. */
export async function getDelivery(forge: Forge, hookId: number, id: string): Promise<Delivery> {
  const delivery = await findDelivery(forge, keyOfId(hookId, id));
  if (delivery === undefined) throw noDelivery(id);
  return delivery;
}

/**
 * Sends a delivery's payload once more, as a delivery with an id of its own, to the hook as it is now. NotFound as
 * `getDelivery`, or when the hook is removed just now; Conflict while the delivery is under way; 422 when the hook is
 * not active. Once it answers, the new delivery gets its attempts, whatever crashes.
 */
export async function redeliver(forge: Forge, hook: Hook, id: string): Promise<Delivery> {
  const original = await getDelivery(forge, hook.id, id);
  if (!hook.isActive) throw unprocessable("the hook is not active: activate it first");
  if (original.state === "waiting" || original.state === "sending") {
    throw conflict("the delivery is still under way: it is tried again by itself");
  }
  const again: Delivery = {
    ...newDelivery(forge, hook, {
      ...{ eventId: original.id, what: `again ${randomId()}`, eventType: original.eventType },
      // An object of its own: that of the original goes with it.
      payload: await keepPayload(forge, await payloadOf(forge, original)),
      createdAt: forge.clock.now(),
    }),
    redeliveryOf: original.id,
  };
  const sending = outbox(forge, "webhooks", messageOf(again));
  const { pk, sk } = hook;
  const { committed } = await forge.table.transact([
    put(again, absent),
    check({ pk, sk }, exists),
    sending.write,
  ]);
  if (!committed) throw notFound(`hook does not exist [id: ${hook.id}]`);
  await send(forge, [sending]);
  return again;
}

function keyOfId(hookId: number, id: string) {
  const createdAt = timeOfDeliveryId(id);
  if (createdAt === undefined) throw noDelivery(id);
  return deliveryKey(hookId, createdAt, id);
}

const noDelivery = (id: string) => notFound(`delivery does not exist [uuid: ${id.slice(0, 36)}]`);
