import type { SQSClient } from "@aws-sdk/client-sqs";
import { type Config, required } from "./config.ts";
import {
  MessagesRefused,
  type QueueMessage,
  type QueueName,
  queueBatchSize,
} from "./events/queue-message.ts";
import { lazy } from "./lazy.ts";
import { type Count, uncounted } from "./meter.ts";

/** The queues in SQS: the only code that sees its SDK. */
export interface Queues {
  /**
   * Puts messages on a queue; each may be delivered more than once. `delaySeconds` at most 900. Throws MessagesRefused
   * when the queue took only the others, and the SDK's error when a request failed (later messages are not sent).
   */
  send(
    queue: QueueName,
    messages: readonly QueueMessage[],
    options?: { delaySeconds?: number },
  ): Promise<void>;
  /**
   * Hides received messages from other workers for so many seconds from now on, by their receipt handles, ten at most.
   * One that is not in work any more is left out; throws the SDK's errors.
   */
  hide(queue: QueueName, receiptHandles: readonly string[], seconds: number): Promise<void>;
  /** A view of this store that reports each of its requests to `count`. */
  countedBy(count: Count): Queues;
}

const urlSettings = {
  webhooks: "webhooksQueueUrl",
  mirrors: "mirrorsQueueUrl",
  "repository-events": "repositoryEventsQueueUrl",
} as const satisfies Record<QueueName, keyof Config>;

/** Opens the store; a queue without its URL setting fails when it is first used, naming the setting. */
export function createQueues(options: {
  config: Config;
  client: () => Promise<SQSClient>;
  /** Called for every request that doesn't go through a view; absent: nothing is called. */
  count?: Count;
}): Queues {
  const sdk = lazy(async () => ({
    client: await options.client(),
    sqs: await import("@aws-sdk/client-sqs"),
  }));
  const open = (count: Count): Queues => ({
    ...storeFor({ config: options.config, sdk, count }),
    countedBy: open,
  });
  return open(options.count ?? uncounted);
}

interface Service {
  readonly config: Config;
  readonly sdk: () => Promise<{ client: SQSClient; sqs: typeof import("@aws-sdk/client-sqs") }>;
  readonly count: Count;
}

function storeFor({ config, sdk, count }: Service): Omit<Queues, "countedBy"> {
  return {
    async send(queue, messages, { delaySeconds = 0 } = {}) {
      const { client, sqs } = await sdk();
      const QueueUrl = required(config, urlSettings[queue]);
      const refused: QueueMessage[] = [];
      let reason = "";
      for (let at = 0; at < messages.length; at += queueBatchSize) {
        const batch = messages.slice(at, at + queueBatchSize);
        const Entries = batch.map((message, index) => ({
          Id: String(index),
          MessageBody: JSON.stringify(message),
          DelaySeconds: delaySeconds,
        }));
        count("sqs:SendMessageBatch", { queueRequests: 1 });
        const answer = await client.send(new sqs.SendMessageBatchCommand({ QueueUrl, Entries }));
        for (const failed of answer.Failed ?? []) {
          refused.push(...batch.filter((_, index) => failed.Id === String(index)));
          reason = `${failed.Code} ${failed.Message ?? ""}`.trim();
        }
      }
      if (refused.length > 0) throw new MessagesRefused(queue, refused, reason);
    },
    async hide(queue, receiptHandles, VisibilityTimeout) {
      const { client, sqs } = await sdk();
      const QueueUrl = required(config, urlSettings[queue]);
      const Entries = receiptHandles.map((ReceiptHandle, index) => ({
        Id: String(index),
        ReceiptHandle,
        VisibilityTimeout,
      }));
      count("sqs:ChangeMessageVisibilityBatch", { queueRequests: 1 });
      await client.send(new sqs.ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }));
    },
  };
}
