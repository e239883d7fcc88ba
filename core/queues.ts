import type { SQSClient } from "@aws-sdk/client-sqs";
import { type Config, required } from "./config.ts";
import { lazy } from "./lazy.ts";
import { count } from "./meter.ts";

/** The three queues; few, because an idle queue is polled all month. */
export type QueueName = "webhooks" | "mirrors" | "repository-events";

/** A message carries ids and object keys, never payloads (D-TEXT). */
export type QueueMessage = Readonly<Record<string, unknown>> & { readonly kind: string };

/** The door to SQS: the only code that sees its SDK. */
export interface Queues {
  /** Puts messages on a queue; each may be delivered more than once. `delaySeconds` at most 900. */
  send(
    queue: QueueName,
    messages: readonly QueueMessage[],
    options?: { delaySeconds?: number },
  ): Promise<void>;
}

const batchSize = 10;
const urlSettings = {
  webhooks: "webhooksQueueUrl",
  mirrors: "mirrorsQueueUrl",
  "repository-events": "repositoryEventsQueueUrl",
} as const satisfies Record<QueueName, keyof Config>;

/** Opens the door; a queue without its URL setting fails when it is first used, naming the setting. */
export function createQueues(options: { config: Config; client: () => Promise<SQSClient> }): Queues {
  const sdk = lazy(async () => ({
    client: await options.client(),
    sqs: await import("@aws-sdk/client-sqs"),
  }));
  return {
    async send(queue, messages, { delaySeconds = 0 } = {}) {
      const { client, sqs } = await sdk();
      const QueueUrl = required(options.config, urlSettings[queue]);
      for (let at = 0; at < messages.length; at += batchSize) {
        const Entries = messages.slice(at, at + batchSize).map((message, index) => ({
          Id: String(index),
          MessageBody: JSON.stringify(message),
          DelaySeconds: delaySeconds,
        }));
        count("sqs:SendMessageBatch", { queueRequests: 1 });
        const answer = await client.send(new sqs.SendMessageBatchCommand({ QueueUrl, Entries }));
        const [failed] = answer.Failed ?? [];
        if (failed !== undefined) throw new Error(`the queue ${queue} refused a message: ${failed.Message}`);
      }
    },
  };
}
