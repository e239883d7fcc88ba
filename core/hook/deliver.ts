import { isDeepStrictEqual } from "node:util";
import { defined } from "../defined.ts";
import type { Forge } from "../forge.ts";
import type { Answered } from "../guarded-client/exchange.ts";
import type { GuardedClient, GuardedOutcome } from "../guarded-client/guarded-client.ts";
import { randomId } from "../ids.ts";
import { equals } from "../table/condition.ts";
import { update } from "../table/write.ts";
import { type Attempt, type Delivery, deliveryPartition } from "./delivery.table.ts";
import { type DeliveryMessage, findDelivery, messageOf, payloadOf } from "./delivery.ts";
import type { Hook } from "./hook.table.ts";
import { findHook, hookFormProblem } from "./hook.ts";
import { type SignedRequest, signedRequest } from "./internal/signed-request.ts";
import { areHookSecretsReadable, hookSecretsOf } from "./secrets.ts";

/** A message to put on the webhooks queue after a pause. */
export interface NextMessage {
  readonly message: DeliveryMessage;
  readonly delaySeconds: number;
}

/** The follow-up to a delivery's message: nothing, or a later message. */
export type DeliverOutcome = {
  readonly outcome: "answered" | "failed" | "waiting" | "busy" | "dropped";
  readonly next?: NextMessage;
};

/** Pauses before the second, third and fourth attempt: with the time of the attempts within 15 minutes (D-DELIVERY). */
const pausesSeconds = [30, 120, 600];
const attemptsInAll = pausesSeconds.length + 1;
/** What an attempt may need beside the receiver's time: reading, recording, a busy table. */
const leaseMarginMs = 30_000;
const keptAnswerBytes = 16 * 1024;
const masked = "******";
const sealedElsewhere = "the keys that are set do not open the hook's secrets";

/**
 * Handles the message of one attempt: takes the delivery's lease, sends, records. An attempt is sent at most once,
 * however often its message comes: an attempt whose worker was stopped counts as interrupted, and the next one follows
 * under the same delivery id.
 */
export async function deliverAttempt(
  forge: Forge,
  client: GuardedClient,
  message: DeliveryMessage,
): Promise<DeliverOutcome> {
  const delivery = await findDelivery(forge, { pk: deliveryPartition(message.hookId), sk: message.delivery });
  if (delivery === undefined || delivery.state === "answered" || delivery.state === "failed") {
    return { outcome: "dropped" };
  }
  // The message of an earlier attempt again: perhaps its worker was stopped before it could send the next message.
  if (delivery.attempt !== message.attempt) return { outcome: "waiting", next: nextMessage(delivery) };
  if (delivery.state === "sending") return interrupted(forge, delivery);
  const leased = await lease(forge, delivery);
  return leased === undefined ? busy(message, leaseMs(forge)) : attempt(forge, client, leased);
}

const leaseMs = (forge: Forge): number => forge.config.deliverTimeoutSeconds * 1000 + leaseMarginMs;

/** Takes a waiting attempt for ourselves; undefined when another worker was first. */
async function lease(forge: Forge, delivery: Delivery): Promise<Delivery | undefined> {
  const { pk, sk, attempt: number } = delivery;
  const taken = { state: "sending", holder: randomId(), until: forge.clock.now() + leaseMs(forge) } as const;
  const isWaiting = equals({ state: "waiting", attempt: number });
  if (await forge.table.write(update({ pk, sk }, { set: taken }, isWaiting)))
    return { ...delivery, ...taken };
  // After a lost answer the store tries again, and the second try meets our own lease.
  const found = await findDelivery(forge, { pk, sk });
  return found?.holder === taken.holder ? found : undefined;
}

async function attempt(forge: Forge, client: GuardedClient, delivery: Delivery): Promise<DeliverOutcome> {
  const target = await targetOf(forge, delivery);
  const startedAt = forge.clock.now();
  if (typeof target === "string") {
    return record(forge, delivery, { kind: "refused", reason: target }, startedAt);
  }
  if (!areHookSecretsReadable(forge, target)) {
    // A job may be about to seal them again (reseal.ts): the next attempt looks anew.
    return record(forge, delivery, { kind: "no-answer", reason: sealedElsewhere }, startedAt);
  }
  const payload = await payloadOf(forge, delivery);
  const { eventType, id: deliveryId } = delivery;
  const { contentType } = target;
  const request = signedRequest({
    deliveryId,
    eventType,
    contentType,
    payload,
    ...hookSecretsOf(forge, target),
  });
  const outcome = await client.send({
    url: target.url,
    method: "POST",
    ...request,
    totalTimeoutMs: forge.config.deliverTimeoutSeconds * 1000,
    maxBodyBytes: keptAnswerBytes,
    maxRedirects: 5,
  });
  return record(forge, delivery, outcome, startedAt, shownRequest(target.url, request));
}

/** The target, or why nothing is sent. */
async function targetOf(forge: Forge, delivery: Delivery): Promise<Hook | string> {
  if (forge.config.disableWebhooks) return "DISABLE_WEBHOOKS is set: nothing is sent";
  const hook = await findHook(forge, delivery.parent, delivery.hookId);
  if (hook === undefined) return "the hook was removed";
  if (!hook.isActive) return "the hook is not active";
  return hookFormProblem(hook) ?? hook;
}

/** Another worker has the attempt, or was stopped: then its attempt is over, and the next one may follow at once. */
function interrupted(forge: Forge, delivery: Delivery): Promise<DeliverOutcome> | DeliverOutcome {
  const left = (delivery.until ?? 0) - forge.clock.now();
  if (left > 0) return busy(messageOf(delivery), left);
  return record(forge, delivery, { kind: "interrupted" }, forge.clock.now());
}

const busy = (message: DeliveryMessage, leftMs: number): DeliverOutcome => ({
  outcome: "busy",
  next: { message, delaySeconds: Math.max(1, Math.ceil(leftMs / 1000)) },
});

type Ending = GuardedOutcome | { readonly kind: "interrupted" };

/** Records the result of an attempt, if the lease is still ours, and says what follows. */
async function record(
  forge: Forge,
  delivery: Delivery,
  ending: Ending,
  startedAt: number,
  request?: Delivery["request"],
): Promise<DeliverOutcome> {
  const made = attemptOf(delivery, ending, startedAt, forge.clock.now());
  const isOver = ending.kind === "answered" || ending.kind === "refused" || made.number >= attemptsInAll;
  const state = ending.kind === "answered" ? "answered" : isOver ? "failed" : "waiting";
  const set: Partial<Delivery> & Pick<Delivery, "attempt" | "attempts"> = {
    state,
    attempt: isOver ? made.number : made.number + 1,
    attempts: [...delivery.attempts, made],
    ...defined({ request }),
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

const nextMessage = (delivery: Delivery): NextMessage => ({
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

function shownRequest(url: string, { headers }: SignedRequest): NonNullable<Delivery["request"]> {
  const shown = new URL(url);
  if (shown.password !== "") shown.password = masked;
  const isAuthorized = "Authorization" in headers;
  return { url: shown.href, headers: { ...headers, ...(isAuthorized ? { Authorization: masked } : {}) } };
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
