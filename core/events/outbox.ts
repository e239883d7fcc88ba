import { randomUUID } from "node:crypto";
import type { Forge } from "../forge.ts";
import { paddedTime } from "../ids.ts";
import { queryRoundRobin } from "../table/round-robin.ts";
import { type Item, put, type TableKey, type Write } from "../table/write.ts";
import { MessagesRefused, type QueueMessage, type QueueName, queueBatchSize } from "./queue-message.ts";

/**
 * A message as consumers see it: `eventId` is the same on every delivery, so that they can claim it. `outboxAt` is when
 * its outbox item was written, in milliseconds; absent when something else sends it again.
 */
export type EventMessage = QueueMessage & { readonly eventId: string; readonly outboxAt?: number };

/** Something to put on a queue once a transaction is committed. */
export interface OutgoingMessage {
  readonly queue: QueueName;
  readonly message: EventMessage;
}

/** An outbox item, before and after its transaction: `write` belongs in it, `send` takes the rest. */
export interface OutboxEntry extends OutgoingMessage {
  readonly write: Write;
  readonly item: TableKey;
}

/** The name of an event that may be written twice: the same id and time make the same outbox item. */
export interface EventOrigin {
  /** Begins with two hexadecimal digits. */
  readonly eventId?: string;
  readonly atMs?: number;
}

interface OutboxItem extends Item {
  readonly queue: QueueName;
  readonly message: EventMessage;
  readonly _v: 1;
}

const parts = 8;
const overdueMs = 30_000;
const resendPerPart = 250;
const partition = (part: number) => `X#${part}`;

function itemKey(eventId: string, atMs: number): TableKey {
  const part = Number.parseInt(eventId.slice(0, 2), 16) % parts;
  return { pk: partition(part), sk: `${paddedTime(atMs)}#${eventId}` };
}

/**
 * An event that must not get lost: put `write` into the transaction that causes it and hand the entry to `send` right
 * after the commit. The consumer of the message removes the item; the tick sends messages whose items are still there
 * again, so a message may arrive more than once.
 */
export function outbox(
  forge: Forge,
  queue: QueueName,
  message: QueueMessage,
  { eventId = randomUUID() as string, atMs = forge.clock.now() }: EventOrigin = {},
): OutboxEntry {
  const item = itemKey(eventId, atMs);
  const stamped = { ...message, eventId, outboxAt: atMs };
  return { queue, message: stamped, item, write: put({ ...item, queue, message: stamped, _v: 1 }) };
}

/**
 * Puts messages on their queues. Never throws: their change is committed, and a message that could not be sent is
 * logged and left to the tick.
 */
export async function send(forge: Forge, messages: readonly OutgoingMessage[]): Promise<void> {
  await sendEach(forge, messages, async () => undefined);
}

/**
 * For consumers: removes the outbox items of messages that they were handed, in one request for ten messages. From then
 * on the queue keeps them until they are done. Never throws: the tick sends the remaining ones once more.
 */
export async function removeReceived(
  forge: Forge,
  messages: readonly { readonly eventId: string; readonly outboxAt?: number | undefined }[],
): Promise<void> {
  const items = messages.flatMap(({ eventId, outboxAt }) =>
    outboxAt === undefined ? [] : itemKey(eventId, outboxAt),
  );
  try {
    await forge.table.removeAll(items);
  } catch (error) {
    forge.log.warn("outbox:remove-failed", { count: items.length, error });
  }
}

/**
 * For the tick: sends messages that have lain in the outbox for more than 30 s and removes their items, at most so many
 * of each part and each in its turn, whatever a queue refuses; answers how many. When consumers are further behind than
 * that, each message is sent twice and not more.
 */
export async function resendOverdue(forge: Forge, mostPerPart = resendPerPart): Promise<number> {
  const to = paddedTime(forge.clock.now() - overdueMs);
  const found = await Promise.all(
    Array.from({ length: parts }, (_, part) =>
      queryRoundRobin<OutboxItem>(forge.table, { pk: partition(part), to, limit: mostPerPart }),
    ),
  );
  const overdue = found.flat().map(({ pk, sk, queue, message }) => ({ queue, message, item: { pk, sk } }));
  if (overdue.length > 0) forge.log.warn("outbox:resend", { count: overdue.length });
  await sendEach(forge, overdue, (taken) => forge.table.removeAll(taken.map(({ item }) => item)));
  return overdue.length;
}

/** Queue by queue; a failure is logged. `onTaken` hears of each batch, without the messages that the queue refused. */
async function sendEach<Message extends OutgoingMessage>(
  forge: Forge,
  messages: readonly Message[],
  onTaken: (taken: readonly Message[]) => Promise<void>,
): Promise<void> {
  const queues = [...new Set(messages.map((one) => one.queue))];
  await Promise.all(
    queues.map(async (queue) => {
      const ofQueue = messages.filter((one) => one.queue === queue);
      try {
        // Batch by batch, so that a failure leaves at most one batch in doubt.
        for (let at = 0; at < ofQueue.length; at += queueBatchSize) {
          const batch = ofQueue.slice(at, at + queueBatchSize);
          const refused = await sendBatch(
            forge,
            queue,
            batch.map((one) => one.message),
          );
          await onTaken(batch.filter((one) => !refused.includes(one.message)));
        }
      } catch (error) {
        forge.log.error("outbox:send-failed", { queue, count: ofQueue.length, error });
      }
    }),
  );
}

/** The messages that the queue refused, which must not keep others from being sent. */
async function sendBatch(
  forge: Forge,
  queue: QueueName,
  messages: EventMessage[],
): Promise<readonly QueueMessage[]> {
  try {
    await forge.queues.send(queue, messages);
    return [];
  } catch (error) {
    if (!(error instanceof MessagesRefused)) throw error;
    forge.log.error("outbox:message-refused", {
      queue,
      eventIds: error.messages.map((message) => message.eventId),
      error,
    });
    return error.messages;
  }
}
