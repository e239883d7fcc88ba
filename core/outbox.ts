import { randomUUID } from "node:crypto";
import type { Forge } from "./forge.ts";
import { paddedTime } from "./ids.ts";
import type { QueueMessage, QueueName } from "./queues.ts";
import { type Item, keyText, put, type TableKey, type Write } from "./table.ts";

/** A message as consumers see it: `eventId` is the same on every delivery, so that they can claim it. */
export type EventMessage = QueueMessage & { readonly eventId: string };

/** Something to put on a queue once a transaction is committed. */
export interface OutgoingMessage {
  readonly queue: QueueName;
  readonly message: EventMessage;
  /** The outbox item that is removed when the queue has the message; absent when something else re-sends it. */
  readonly item?: TableKey;
}

/** An outbox item, before and after its transaction: `write` belongs in it, `send` takes the rest. */
export interface OutboxEntry extends OutgoingMessage {
  readonly write: Write;
  readonly item: TableKey;
}

interface OutboxItem extends Item {
  readonly queue: QueueName;
  readonly message: EventMessage;
  readonly _v: 1;
}

const parts = 8;
const overdueMs = 30_000;
const resendPerPart = 100;
const partition = (part: number) => `X#${part}`;

/**
 * An event that must not get lost: put `write` into the transaction that causes it and hand the entry to `send`
 * right after the commit. The tick sends what a crash left behind, so a message may arrive more than once.
 */
export function outbox(forge: Forge, queue: QueueName, message: QueueMessage): OutboxEntry {
  const eventId = randomUUID();
  const part = Number.parseInt(eventId.slice(0, 2), 16) % parts;
  const item = { pk: partition(part), sk: `${paddedTime(forge.clock.now())}#${eventId}` };
  const stamped = { ...message, eventId };
  return { queue, message: stamped, item, write: put({ ...item, queue, message: stamped, _v: 1 }) };
}

/**
 * Puts messages on their queues and removes their outbox items. Never throws: the change they tell of is committed,
 * and what could not be sent is logged and left to the tick.
 */
export async function send(forge: Forge, messages: readonly OutgoingMessage[]): Promise<void> {
  const queues = [...new Set(messages.map((one) => one.queue))];
  await Promise.all(
    queues.map(async (queue) => {
      const ofQueue = messages.filter((one) => one.queue === queue);
      try {
        await sendTo(forge, queue, ofQueue);
      } catch (error) {
        forge.log.error("outbox:send-failed", { queue, count: ofQueue.length, error });
      }
    }),
  );
}

/** For the tick: sends what has lain in the outbox for more than 30 s, a bounded number; answers how many. */
export async function resend(forge: Forge): Promise<number> {
  const to = paddedTime(forge.clock.now() - overdueMs);
  const found = await Promise.all(
    Array.from({ length: parts }, (_, part) =>
      forge.table.queryAll<OutboxItem>({ pk: partition(part), to, limit: resendPerPart }),
    ),
  );
  const overdue = found
    .flat()
    .map(({ pk, sk, queue, message }): OutgoingMessage => ({ queue, message, item: { pk, sk } }));
  if (overdue.length > 0) forge.log.warn("outbox:resend", { count: overdue.length });
  await send(forge, overdue);
  return overdue.length;
}

async function sendTo(forge: Forge, queue: QueueName, messages: readonly OutgoingMessage[]): Promise<void> {
  await forge.queues.send(
    queue,
    messages.map((one) => one.message),
  );
  const sent = new Map(messages.flatMap(({ item }) => (item === undefined ? [] : [[keyText(item), item]])));
  await forge.table.removeAll([...sent.values()]);
}
