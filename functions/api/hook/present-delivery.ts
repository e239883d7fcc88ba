import type { Actor } from "#core/actor";
import type { Attempt, Delivery } from "#core/hook/delivery.table";
import { eventGroup } from "#core/hook/event-types";
import type { Hook } from "#core/hook/hook.table";
import { isMaskedFor, secretMask } from "#core/hook/masking";
import { timestamp } from "../../http/timestamps.ts";
import type { HookDeliveryContentJson, HookDeliveryJson } from "./delivery-schema.ts";

/** Characters of a payload that are shown. */
const shownPayload = 256 * 1024;

/**
 * A delivery as the hook's administrators see it. The receiver's answer and the signatures of one that was sent with the
 * site administrators' secrets are shown to them alone (D-DEFAULTHOOK).
 */
export function presentDelivery(actor: Actor | undefined, hook: Hook, delivery: Delivery): HookDeliveryJson {
  const isMasked = isMaskedFor(actor, delivery) || isMaskedFor(actor, hook);
  const { request, answer } = delivery;
  return {
    uuid: delivery.id,
    event: eventGroup(delivery.eventType),
    event_type: delivery.eventType,
    redelivery_of: delivery.redeliveryOf ?? null,
    state: delivery.state,
    created_at: timestamp(secondsOf(delivery.createdAt)),
    attempts: delivery.attempts.map(presentAttempt),
    request:
      request === undefined
        ? null
        : {
            url: request.url,
            headers: isMasked ? withoutSignatures(request.headers) : { ...request.headers },
          },
    response:
      answer === undefined ? null : { status: answer.status, headers: isMasked ? {} : { ...answer.headers } },
  };
}

/** The same with what was sent and answered. */
export function presentContent(
  actor: Actor | undefined,
  hook: Hook,
  delivery: Delivery,
  payload: string,
): HookDeliveryContentJson {
  const isMasked = isMaskedFor(actor, delivery) || isMaskedFor(actor, hook);
  return {
    ...presentDelivery(actor, hook, delivery),
    payload: payload.slice(0, shownPayload),
    payload_truncated: payload.length > shownPayload,
    response_body: isMasked ? "" : (delivery.answer?.body ?? ""),
  };
}

const presentAttempt = (attempt: Attempt): HookDeliveryJson["attempts"][number] => ({
  number: attempt.number,
  started_at: timestamp(secondsOf(attempt.startedAt)),
  duration_ms: attempt.durationMs,
  outcome: attempt.outcome,
  status: attempt.status ?? null,
  reason: attempt.reason ?? "",
});

function withoutSignatures(headers: Readonly<Record<string, string>>): Record<string, string> {
  const masked = Object.entries(headers).map(([name, value]) => [
    name,
    name.includes("Signature") ? secretMask : value,
  ]);
  return Object.fromEntries(masked);
}

const secondsOf = (milliseconds: number): number => Math.floor(milliseconds / 1000);
