import type { Forge } from "../forge.ts";
import type { GuardedClient } from "../guarded-client/guarded-client.ts";
import { randomId } from "../ids.ts";
import { equals } from "../table/condition.ts";
import { update } from "../table/write.ts";
import { type Delivery, deliveryPartition } from "./delivery.table.ts";
import { type DeliveryMessage, findDelivery, messageOf, payloadOf } from "./delivery.ts";
import type { Hook } from "./hook.table.ts";
import { findHook } from "./hook.ts";
import { deliveryRequest } from "./internal/delivery-request.ts";
import { type EndTurn, receiversOf } from "./internal/receivers.ts";
import { type DeliverOutcome, nextMessage, record, shownRequest } from "./internal/record.ts";
import { areHookSecretsReadable } from "./secrets.ts";

/** What an attempt may need beside the receiver's time: reading, recording, a busy table. */
const leaseMarginMs = 30_000;
const keptAnswerBytes = 16 * 1024;
/** No answer in less time is no sign that the receiver hangs: it refuses connections, for instance. */
const slowMs = 1_000;
const longestHoldMs = 15 * 60_000;
const hangs =
  "the receiver has not answered other deliveries for a quarter of an hour: this one was not sent";
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
  const turn = await receiversOf(forge.config).turn(message.hookId, forge.clock.now());
  return typeof turn === "number"
    ? hold(forge, delivery, message, turn)
    : attemptInTurn(forge, client, delivery, message, turn);
}

async function attemptInTurn(
  forge: Forge,
  client: GuardedClient,
  delivery: Delivery,
  message: DeliveryMessage,
  end: EndTurn,
): Promise<DeliverOutcome> {
  const startedAt = forge.clock.now();
  let isAnswered = true;
  try {
    const leased = await lease(forge, delivery);
    if (leased === undefined) return busy(message, leaseMs(forge));
    const done = await attempt(forge, client, leased);
    isAnswered = done.outcome !== "waiting" && done.outcome !== "failed";
    return stillHeld(done, message);
  } finally {
    const now = forge.clock.now();
    end(!isAnswered && now - startedAt >= slowMs, now);
  }
}

/** What follows remembers for how long the delivery was put off. */
function stillHeld(done: DeliverOutcome, { heldSince }: DeliveryMessage): DeliverOutcome {
  if (done.next === undefined || heldSince === undefined) return done;
  return { ...done, next: { ...done.next, message: { ...done.next.message, heldSince } } };
}

/** The receiver hangs: the attempt is put off, and given up once that has taken as long as all attempts may. */
async function hold(
  forge: Forge,
  delivery: Delivery,
  message: DeliveryMessage,
  pauseMs: number,
): Promise<DeliverOutcome> {
  const now = forge.clock.now();
  const since = message.heldSince ?? now;
  if (now - since < longestHoldMs) {
    const delaySeconds = Math.ceil(pauseMs / 1000);
    return { outcome: "held", next: { message: { ...message, heldSince: since }, delaySeconds } };
  }
  const leased = await lease(forge, delivery);
  if (leased === undefined) return busy(message, leaseMs(forge));
  return record(forge, leased, { kind: "refused", reason: hangs }, now);
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
  const request = deliveryRequest(forge, target, delivery, await payloadOf(forge, delivery));
  const outcome = await client.send({
    ...request,
    totalTimeoutMs: forge.config.deliverTimeoutSeconds * 1000,
    maxBodyBytes: keptAnswerBytes,
    maxRedirects: 5,
  });
  return record(forge, delivery, outcome, startedAt, shownRequest(target, request));
}

/** The target, or why nothing is sent. */
async function targetOf(forge: Forge, delivery: Delivery): Promise<Hook | string> {
  if (forge.config.disableWebhooks) return "DISABLE_WEBHOOKS is set: nothing is sent";
  const hook = await findHook(forge, delivery.parent, delivery.hookId);
  if (hook === undefined) return "the hook was removed";
  if (!hook.isActive) return "the hook is not active";
  return hook;
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
