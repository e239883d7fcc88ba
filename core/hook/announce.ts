import type { Forge } from "../forge.ts";
import { createDelivery, type DeliveryMessage, type KeptPayload, keepPayload } from "./delivery.ts";
import type { HookType } from "./hook.table.ts";
import type { HookSubscriptions, SubscribableEvent } from "./subscriptions.ts";

/** One notice for hooks. An event may lead to several, such as a push of many refs. */
export interface Notice extends SubscribableEvent {
  /** Tells it apart from the other notices of its event. */
  readonly what: string;
  /** The JSON value for hooks of a type; the same value when several types share it. */
  payloadFor(type: HookType): unknown;
}

/** The event that notices belong to; `at` in milliseconds. */
export interface NoticeOrigin {
  readonly eventId: string;
  readonly at: number;
}

/**
 * Records a delivery for each hook that wants this notice, once per event and hook, and answers the messages that start
 * them. The payload is rendered and kept once for all.
 */
export async function announceToHooks(
  forge: Forge,
  subscriptions: HookSubscriptions,
  origin: NoticeOrigin,
  notice: Notice,
): Promise<DeliveryMessage[]> {
  const kept = new Map<unknown, Promise<KeptPayload>>();
  const payloadFor = (type: HookType): Promise<KeptPayload> => {
    const value = notice.payloadFor(type);
    const payload = kept.get(value) ?? keepPayload(forge, JSON.stringify(value, null, 2));
    kept.set(value, payload);
    return payload;
  };
  const { eventType, what } = notice;
  const hooks = await subscriptions.subscribed(notice);
  return Promise.all(
    hooks.map(async (hook) => {
      const payload = await payloadFor(hook.type);
      return createDelivery(forge, hook, { ...origin, createdAt: origin.at, what, eventType, payload });
    }),
  );
}
