/** The three queues; few, because an idle queue is polled all month. */
export type QueueName = "webhooks" | "mirrors" | "repository-events";

/** A message carries ids and object keys, never payloads (D-TEXT). */
export type QueueMessage = Readonly<Record<string, unknown>> & { readonly kind: string };

/** The queue took all messages except these. */
export class MessagesRefused extends Error {
  readonly messages: readonly QueueMessage[];
  constructor(queue: QueueName, messages: readonly QueueMessage[], reason: string) {
    super(`the queue ${queue} refused ${messages.length} messages: ${reason}`);
    this.name = "MessagesRefused";
    this.messages = messages;
  }
}

/** How many messages one request takes. */
export const queueBatchSize = 10;
