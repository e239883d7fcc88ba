import { isDeepStrictEqual } from "node:util";
import { defined } from "../../defined.ts";
import type { Forge } from "../../forge.ts";
import type { Answered } from "../../guarded-client/exchange.ts";
import type { GuardedOutcome } from "../../guarded-client/guarded-client.ts";
import { equals } from "../../table/condition.ts";
import { update } from "../../table/write.ts";
import type { Attempt, Delivery } from "../delivery.table.ts";
import { type DeliveryMessage, findDelivery, messageOf } from "../delivery.ts";
import type { Hook } from "../hook.table.ts";
import { maskedUrl, secretMask } from "../masking.ts";
import type { DeliveryRequest } from "./delivery-request.ts";

/** A message to put on the webhooks queue after a pause. */
export interface NextMessage {
  readonly message: DeliveryMessage;
  readonly delaySeconds: number;
}

/** The follow-up to a delivery's message: nothing, or a later message. */
export type DeliverOutcome = {
  readonly outcome: "answered" | "failed" | "waiting" | "held" | "busy" | "dropped";
  readonly next?: NextMessage;
};

/** Pauses before the second, third and fourth attempt: with the time of the attempts within 15 minutes (D-DELIVERY). */
const pausesSeconds = [30, 120, 600];
const attemptsInAll = pausesSeconds.length + 1;
/** What the record keeps of a request. */
export type Shown = Pick<Delivery, "request" | "isOfAdministrators">;
export type Ending = GuardedOutcome | { readonly kind: "interrupted" };

/** Records the result of an attempt, if the lease is still ours, and says what follows. */
export async function record(
  forge: Forge,
  delivery: Delivery,
  ending: Ending,
  startedAt: number,
  shown: Shown = {},
): Promise<DeliverOutcome> {
  const made = attemptOf(delivery, ending, startedAt, forge.clock.now());
  const isOver = ending.kind === "answered" || ending.kind === "refused" || made.number >= attemptsInAll;
  const state = ending.kind === "answered" ? "answered" : isOver ? "failed" : "waiting";
  const set: Partial<Delivery> & Pick<Delivery, "attempt" | "attempts"> = {
    state,
    attempt: isOver ? made.number : made.number + 1,
    attempts: [...delivery.attempts, made],
    ...shown,
    ...(ending.kind === "answered" ? { answer: shownAnswer(ending) } : {}),
  };
  logAttempt(forge, delivery, made, state);
  if (!(await recorded(forge, delivery, set))) return { outcome: "dropped" };
  if (state !== "waiting") return { outcome: state };
  const next = nextMessage({ ...delivery, attempt: set.attempt });
  return { outcome: state, next: ending.kind === "interrupted" ? { ...next, delaySeconds: 0 } : next };
}

/** Whether the attempt's end was written under our lease: perhaps by a first try whose answer got lost. */
async function recorded(
  forge: Forge,
  { pk, sk, holder }: Delivery,
  set: Partial<Delivery> & Pick<Delivery, "attempts">,
): Promise<boolean> {
  const isOurs = equals({ state: "sending", holder });
  if (await forge.table.write(update({ pk, sk }, { set, unset: ["holder", "until"] }, isOurs))) return true;
  const found = await findDelivery(forge, { pk, sk });
  return isDeepStrictEqual(found?.attempts, set.attempts);
}

/** The message of the attempt that a delivery waits for. */
export const nextMessage = (delivery: Delivery): NextMessage => ({
  message: messageOf(delivery),
  delaySeconds: pausesSeconds[delivery.attempt - 2] ?? 0,
});

function attemptOf(delivery: Delivery, ending: Ending, startedAt: number, endedAt: number): Attempt {
  const common = {
    number: delivery.attempt,
    startedAt,
    durationMs: endedAt - startedAt,
    outcome: ending.kind,
  };
  if (ending.kind === "answered") return { ...common, status: ending.status };
  if (ending.kind === "interrupted")
    return { ...common, reason: "the worker was stopped during this attempt" };
  return { ...common, reason: ending.reason };
}

/** A request as its record keeps it, without credentials. */
export function shownRequest({ isOfAdministrators }: Hook, { url, headers }: DeliveryRequest): Shown {
  const isAuthorized = "Authorization" in headers;
  const request = {
    url: maskedUrl(url),
    headers: { ...headers, ...(isAuthorized ? { Authorization: secretMask } : {}) },
  };
  return { request, ...defined({ isOfAdministrators }) };
}

function shownAnswer({ status, headers, body }: Answered): NonNullable<Delivery["answer"]> {
  return { status, headers, body: body.toString("utf8") };
}

function logAttempt(forge: Forge, delivery: Delivery, made: Attempt, state: Delivery["state"]): void {
  const { id: deliveryId, hookId, eventType } = delivery;
  const { number, outcome, status, reason, durationMs } = made;
  const fields = {
    deliveryId,
    hookId,
    eventType,
    attempt: number,
    outcome,
    status,
    reason,
    durationMs,
    state,
  };
  if (outcome === "answered") forge.log.info("webhooks:delivered", fields);
  else forge.log.warn("webhooks:not-delivered", fields);
}
