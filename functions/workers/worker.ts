import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { z } from "zod";
import { claimEvent, extendClaim, finishClaim, releaseClaim } from "#core/events/claims";
import { removeReceived } from "#core/events/outbox";
import type { QueueName } from "#core/events/queue-message";
import { type Forge, withLogFields } from "#core/forge";
import { keepHidden } from "./keep-hidden.ts";

/** The facts about one delivery of a message. */
export interface Delivery {
  readonly eventId: string;
  /** 1 for the first delivery. */
  readonly attempt: number;
}

/** How long an event of usual work waits after its worker was killed. */
export const usualLeaseSeconds = 60;

/** What to do with one kind of message. */
export interface MessageWork<Message> {
  /** The members of the message; a message that does not fit goes to the dead letters. */
  readonly shape: z.ZodType<Message>;
  /**
   * How long the event is claimed at a time. It is marked done after the work, so that it is done once however often it
   * is delivered; after a worker was killed it waits no longer than this. Absent: no claim, because the work may be
   * repeated.
   */
  readonly leaseSeconds?: number;
  /** Throws, or answers "again", to have the message delivered again later. */
  readonly work: (forge: Forge, message: Message, delivery: Delivery) => Promise<"again" | undefined>;
}

/** Work on a message of any shape: the work takes what its shape accepts. */
type AnyWork = Omit<MessageWork<never>, "shape"> & { readonly shape: z.ZodType };

/** The kinds of messages of a queue, by the member `kind`. */
export type MessageKinds = Readonly<Record<string, AnyWork>>;

/** How long the messages of a batch are hidden by the request that has just received them. */
interface Receipt {
  readonly hiddenSeconds: number;
}

/** Works on a batch and names the messages that must come again. */
export type BatchWorker = (forge: Forge, event: SQSEvent, receipt?: Receipt) => Promise<SQSBatchResponse>;

/** The members of every message; `deferrals` counts how often it was put back. */
const envelope = z.looseObject({
  kind: z.string(),
  eventId: z.string(),
  deferrals: z.int().optional(),
  outboxAt: z.int().optional(),
});
type Envelope = z.infer<typeof envelope>;

/** How long messages are hidden at a time: a failed one, or one of a killed worker, waits no longer. */
const hiddenForSeconds = 60;

/**
 * A worker for one queue, whose name appears in claims and log lines; it works on the messages of a batch at the same
 * time.
 */
export function createWorker(
  consumer: QueueName,
  kinds: MessageKinds,
  { hiddenSeconds = hiddenForSeconds } = {},
): BatchWorker {
  return async (forge, { Records: records }, receipt) => {
    const areHidden = receipt?.hiddenSeconds === hiddenSeconds;
    const stopHiding = keepHidden(forge, consumer, records, { seconds: hiddenSeconds, areHidden });
    try {
      const [failed] = await Promise.all([
        Promise.all(
          records.map(async (record) => ((await handle(forge, consumer, kinds, record)) ? [] : [record])),
        ),
        removeReceived(forge, records.flatMap(firstDelivered)),
      ]);
      return { batchItemFailures: failed.flat().map((record) => ({ itemIdentifier: record.messageId })) };
    } finally {
      stopHiding();
    }
  };
}

/** The message of a record that is delivered for the first time. */
function firstDelivered({ body, attributes }: SQSRecord): Envelope[] {
  if (attributes.ApproximateReceiveCount !== "1") return [];
  const { data } = envelope.safeParse(parseJson(body));
  return data === undefined ? [] : [data];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // reported where the message is worked on
  }
}

/** Whether the message is done and may be removed from the queue. */
async function handle(
  given: Forge,
  consumer: QueueName,
  kinds: MessageKinds,
  record: SQSRecord,
): Promise<boolean> {
  const attempt = Number(record.attributes.ApproximateReceiveCount);
  const received = withLogFields(given, { worker: consumer, messageId: record.messageId, attempt });
  const message = parse(received, kinds, record);
  if (message === undefined) return false;
  const { kind, eventId } = message.envelope;
  const forge = withLogFields(received, { kind, eventId });
  try {
    return await workOnce(forge, consumer, message, { eventId, attempt });
  } catch (error) {
    forge.log.error("worker:failed", { error });
    return false;
  }
}

interface ParsedMessage {
  readonly envelope: Envelope;
  readonly work: AnyWork;
  readonly members: never;
}

function parse(forge: Forge, kinds: MessageKinds, record: SQSRecord): ParsedMessage | undefined {
  try {
    const parsed = envelope.parse(JSON.parse(record.body));
    const work = Object.hasOwn(kinds, parsed.kind) ? kinds[parsed.kind] : undefined;
    if (work === undefined) throw new Error(`nobody works on messages of the kind ${parsed.kind}`);
    return { envelope: parsed, work, members: work.shape.parse(JSON.parse(record.body)) as never };
  } catch (error) {
    forge.log.error("worker:bad-message", { body: record.body.slice(0, 1000), error });
    return undefined;
  }
}

/** A claim is renewed three times in its lease. */
const renewalMs = 1000 / 3;

async function workOnce(
  forge: Forge,
  consumer: QueueName,
  { envelope: message, work: { leaseSeconds, work }, members }: ParsedMessage,
  delivery: Delivery,
): Promise<boolean> {
  if (leaseSeconds === undefined) return (await work(forge, members, delivery)) !== "again";
  const { eventId } = delivery;
  const claimed = await claimEvent(forge, consumer, eventId, leaseSeconds);
  if (claimed.outcome === "done") return true;
  if (claimed.outcome === "working") return defer(forge, consumer, message, claimed.until);
  const { holder } = claimed;
  const renewing = setInterval(() => {
    extendClaim(forge, consumer, eventId, holder, leaseSeconds).catch((error: unknown) => {
      forge.log.warn("worker:claim-not-renewed", { error });
    });
  }, leaseSeconds * renewalMs);
  let isDone = false;
  try {
    isDone = (await work(forge, members, delivery)) !== "again";
  } finally {
    clearInterval(renewing);
    if (!isDone) await releaseClaim(forge, consumer, eventId, holder);
  }
  // A lost lease means that another delivery is in progress: the message stays until one of them is done.
  return isDone && (await finishClaim(forge, consumer, eventId, holder));
}

/** Counts how often a worker began an event, or was stopped while it worked on it. */
const mostDeferrals = 10;
const longestDelaySeconds = 900;

/**
 * Puts a message back until the lease on its event is over; answers whether this one may be dropped. Otherwise it might
 * become a dead letter too early: each restart of a killed worker delivers it anew.
 */
async function defer(
  forge: Forge,
  queue: QueueName,
  { outboxAt: _, ...message }: Envelope,
  until: number,
): Promise<boolean> {
  const deferrals = (message.deferrals ?? 0) + 1;
  if (deferrals > mostDeferrals) return false;
  const leftSeconds = Math.ceil((until - forge.clock.now()) / 1000);
  const delaySeconds = Math.min(Math.max(leftSeconds, 1), longestDelaySeconds);
  await forge.queues.send(queue, [{ ...message, deferrals }], { delaySeconds });
  return true;
}
