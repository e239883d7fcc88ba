import { setTimeout as pause } from "node:timers/promises";
import {
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import type { Log } from "#core/log";

/** A Lambda function for a queue, as deployed: messages that it doesn't report as failed are done. */
export type QueueHandler = (event: SQSEvent) => Promise<SQSBatchResponse>;

/** The options of a worker loop. */
export interface WorkerLoopOptions {
  client: SQSClient;
  queueUrl: string;
  /** The `eventSourceARN` of the records. */
  queueArn: string;
  handler: QueueHandler;
  /** Messages worked on at the same time. */
  mostAtOnce: number;
  /** How long a message stays hidden after its receipt; its handler keeps it hidden for longer. */
  visibilityTimeoutSeconds: number;
  log: Log;
  /** Ends the loop; running handlers finish first. */
  signal: AbortSignal;
}

const longPollSeconds = 20;
const mostPerReceive = 10;
const longestPauseMs = 10_000;

/**
 * Does Lambda's work with a queue: polls it, hands messages to the handler, deletes successful ones and leaves failed
 * ones to become visible again and at last to reach the dead-letter queue. Each message is a batch of its own, so that
 * a slow one doesn't delay others. Returns once the signal has aborted and everything has ended.
 */
export async function runWorkerLoop(options: WorkerLoopOptions): Promise<void> {
  const { signal, mostAtOnce } = options;
  const underWay = new Set<Promise<void>>();
  const troubles = new Troubles(options);
  const work = (message: Message) => {
    const working = handleMessage(options, message)
      .catch((error: unknown) => troubles.tell(error))
      .finally(() => underWay.delete(working));
    underWay.add(working);
  };
  while (!signal.aborted) {
    if (underWay.size >= mostAtOnce) {
      await Promise.race(underWay);
      continue;
    }
    try {
      const received = await receive(options, Math.min(mostPerReceive, mostAtOnce - underWay.size));
      for (const message of received) work(message);
      troubles.end();
    } catch (error) {
      if (!signal.aborted) await troubles.tell(error);
    }
  }
  await Promise.all(underWay);
}

/** Pauses that grow while the queue can't be reached. */
class Troubles {
  readonly #options: WorkerLoopOptions;
  #count = 0;

  constructor(options: WorkerLoopOptions) {
    this.#options = options;
  }

  async tell(error: unknown): Promise<void> {
    const { log, queueArn, signal } = this.#options;
    this.#count += 1;
    const pauseMs = Math.min(100 * 2 ** this.#count, longestPauseMs);
    log.warn("worker-loop:queue-unreachable", { queueArn, pauseMs, error });
    await pause(pauseMs, undefined, { signal }).catch(() => undefined);
  }

  end(): void {
    this.#count = 0;
  }
}

async function receive(options: WorkerLoopOptions, count: number): Promise<Message[]> {
  const command = new ReceiveMessageCommand({
    QueueUrl: options.queueUrl,
    MaxNumberOfMessages: count,
    WaitTimeSeconds: longPollSeconds,
    VisibilityTimeout: options.visibilityTimeoutSeconds,
    MessageSystemAttributeNames: ["All"],
  });
  const { Messages = [] } = await options.client.send(command, { abortSignal: options.signal });
  return Messages;
}

async function handleMessage(options: WorkerLoopOptions, message: Message): Promise<void> {
  const { client, queueUrl: QueueUrl, queueArn, log } = options;
  let isDone = false;
  try {
    const answer = await options.handler({ Records: [toRecord(message, queueArn)] });
    isDone = (answer?.batchItemFailures ?? []).length === 0; // as with Lambda, whatever id is named
  } catch (error) {
    log.error("worker-loop:handler-failed", { queueArn, error });
  }
  if (isDone) {
    await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message.ReceiptHandle }));
  } else log.warn("worker-loop:message-failed", { queueArn, id: message.MessageId });
}

/** A received message as the record of Lambda's event. */
export function toRecord(message: Message, queueArn: string): SQSRecord {
  const { SenderId = "", SentTimestamp = "", ...attributes } = message.Attributes ?? {};
  return {
    messageId: message.MessageId ?? "",
    receiptHandle: message.ReceiptHandle ?? "",
    body: message.Body ?? "",
    attributes: {
      SenderId,
      SentTimestamp,
      ApproximateReceiveCount: attributes.ApproximateReceiveCount ?? "1",
      ApproximateFirstReceiveTimestamp: attributes.ApproximateFirstReceiveTimestamp ?? SentTimestamp,
    },
    messageAttributes: {},
    md5OfBody: message.MD5OfBody ?? "",
    eventSource: "aws:sqs",
    eventSourceARN: queueArn,
    awsRegion: queueArn.split(":")[3] ?? "",
  };
}
