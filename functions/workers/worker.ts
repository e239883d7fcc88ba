import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { z } from "zod";
import { claim, finish, release } from "#core/claims";
import type { Forge } from "#core/forge";
import { withLogFields } from "#core/log";

/** What is known of one delivery of a message. */
export interface Delivery {
  readonly eventId: string;
  /** 1 for the first delivery. */
  readonly attempt: number;
}

/** What to do with one kind of message. */
export interface MessageWork<Message> {
  /** The members of the message; what does not fit goes to the dead letters. */
  readonly shape: z.ZodType<Message>;
  /**
   * How long one delivery may take. The event is claimed for so long and marked done after the work, so that it is done
   * once however often it is delivered. Absent: no claim, the work itself bears repetition.
   */
  readonly leaseSeconds?: number;
  /** Throws, or answers "again", to have the message delivered again later. */
  readonly work: (forge: Forge, message: Message, delivery: Delivery) => Promise<"again" | undefined>;
}

/** Work whose message has any shape: what its shape lets through is what it takes. */
type AnyWork = Omit<MessageWork<never>, "shape"> & { readonly shape: z.ZodType };

/** The kinds of messages of a queue, by the member `kind`. */
export type MessageKinds = Readonly<Record<string, AnyWork>>;

/** Works on a batch and names the messages that have to come again. */
export type BatchWorker = (forge: Forge, event: SQSEvent) => Promise<SQSBatchResponse>;

const envelope = z.looseObject({ kind: z.string(), eventId: z.string() });

/** A worker for one queue; its messages are worked on at the same time. `consumer` names it in claims and log lines. */
export function createWorker(consumer: string, kinds: MessageKinds): BatchWorker {
  return async (forge, event) => {
    const failed = await Promise.all(
      event.Records.map(async (record) => ((await handle(forge, consumer, kinds, record)) ? [] : [record])),
    );
    return { batchItemFailures: failed.flat().map((record) => ({ itemIdentifier: record.messageId })) };
  };
}

/** Whether the message is dealt with and may be removed from the queue. */
async function handle(
  forge: Forge,
  consumer: string,
  kinds: MessageKinds,
  record: SQSRecord,
): Promise<boolean> {
  const attempt = Number(record.attributes.ApproximateReceiveCount);
  return withLogFields({ worker: consumer, messageId: record.messageId, attempt }, async () => {
    const message = parse(forge, kinds, record);
    if (message === undefined) return false;
    const { kind, eventId, members, work } = message;
    return withLogFields({ kind, eventId }, async () => {
      try {
        return await workOnce(forge, consumer, work, members, { eventId, attempt });
      } catch (error) {
        forge.log.error("worker:failed", { error });
        return false;
      }
    });
  });
}

function parse(forge: Forge, kinds: MessageKinds, record: SQSRecord) {
  try {
    const { kind, eventId } = envelope.parse(JSON.parse(record.body));
    const work = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
    if (work === undefined) throw new Error(`nobody works on messages of the kind ${kind}`);
    return { kind, eventId, work, members: work.shape.parse(JSON.parse(record.body)) as never };
  } catch (error) {
    forge.log.error("worker:bad-message", { body: record.body.slice(0, 1000), error });
    return undefined;
  }
}

async function workOnce(
  forge: Forge,
  consumer: string,
  { leaseSeconds, work }: AnyWork,
  members: never,
  delivery: Delivery,
): Promise<boolean> {
  if (leaseSeconds === undefined) return (await work(forge, members, delivery)) !== "again";
  const { eventId } = delivery;
  const claimed = await claim(forge, consumer, eventId, leaseSeconds);
  if (claimed.outcome !== "claimed") return claimed.outcome === "done";
  let isDone = false;
  try {
    isDone = (await work(forge, members, delivery)) !== "again";
  } finally {
    if (!isDone) await release(forge, consumer, eventId, claimed.holder);
  }
  // A lost lease means that another delivery is under way: the message stays until one of them is done.
  return isDone && (await finish(forge, consumer, eventId, claimed.holder));
}
