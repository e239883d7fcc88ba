import { setTimeout as pause } from "node:timers/promises";
import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import type { Log } from "#core/log";

/** A Lambda function for a queue, as it is deployed: what it doesn't report as failed is done. */
export type QueueHandler = (event: SQSEvent) => Promise<SQSBatchResponse>;

/** What a worker loop needs. */
export interface WorkerLoopOptions {
  client: SQSClient;
  queueUrl: string;
  /** The `eventSourceARN` of the records. */
  queueArn: string;
  handler: QueueHandler;
  /** Records per call, 1 to 10. */
  batchSize: number;
  /** How long a message stays hidden after its handler ended without it. Renewed while the handler runs. */
  visibilityTimeoutSeconds: number;
  log: Log;
  /** Ends the loop; what is being handled is finished first. */
  signal: AbortSignal;
}

const longPollSeconds = 20;
const longestPauseMs = 10_000;

/**
 * Does what Lambda does with a queue: polls it, hands batches to the handler, deletes what succeeded and leaves what
 * failed to become visible again and at last to reach the dead-letter queue. Returns once the signal has aborted.
 */
export async function runWorkerLoop(options: WorkerLoopOptions): Promise<void> {
  const { signal, log, queueArn } = options;
  let failures = 0;
  while (!signal.aborted) {
    try {
      const messages = await receive(options);
      if (messages.length > 0) await handleBatch(options, messages);
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      failures++;
      const pauseMs = Math.min(100 * 2 ** failures, longestPauseMs);
      log.warn("worker-loop:queue-unreachable", { queueArn, pauseMs, error });
      await pause(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }
}

async function receive(options: WorkerLoopOptions): Promise<Message[]> {
  const command = new ReceiveMessageCommand({
    QueueUrl: options.queueUrl,
    MaxNumberOfMessages: options.batchSize,
    WaitTimeSeconds: longPollSeconds,
    VisibilityTimeout: options.visibilityTimeoutSeconds,
    MessageSystemAttributeNames: ["All"],
  });
  const { Messages = [] } = await options.client.send(command, { abortSignal: options.signal });
  return Messages;
}

async function handleBatch(options: WorkerLoopOptions, messages: readonly Message[]): Promise<void> {
  const stopRenewing = renewVisibility(options, messages);
  let failed: ReadonlySet<string>;
  try {
    const event = { Records: messages.map((message) => toRecord(message, options.queueArn)) };
    failed = failedIds(await options.handler(event), messages);
  } catch (error) {
    options.log.error("worker-loop:handler-failed", { queueArn: options.queueArn, error });
    failed = new Set(messages.map(idOf));
  } finally {
    await stopRenewing();
  }
  const done = messages.filter((message) => !failed.has(idOf(message)));
  if (failed.size > 0)
    options.log.warn("worker-loop:records-failed", { queueArn: options.queueArn, ids: [...failed] });
  if (done.length === 0) return;
  const Entries = done.map((message, index) => ({ Id: String(index), ReceiptHandle: message.ReceiptHandle }));
  const answer = await options.client.send(
    new DeleteMessageBatchCommand({ QueueUrl: options.queueUrl, Entries }),
  );
  for (const { Id, Message } of answer.Failed ?? []) {
    options.log.warn("worker-loop:delete-failed", {
      queueArn: options.queueArn,
      id: idOf(done[Number(Id)]),
      Message,
    });
  }
}

const idOf = (message: Message | undefined) => message?.MessageId ?? "";

/** Which messages failed. As with Lambda, an id that is not of the batch means that the whole batch did. */
function failedIds(
  response: SQSBatchResponse | undefined,
  messages: readonly Message[],
): ReadonlySet<string> {
  const all = new Set(messages.map(idOf));
  const reported = (response?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier);
  return reported.every((id) => all.has(id)) ? new Set(reported) : all;
}

/** A received message as the record of Lambda's event. */
export function toRecord(message: Message, queueArn: string): SQSRecord {
  const { SenderId = "", SentTimestamp = "", ...attributes } = message.Attributes ?? {};
  return {
    messageId: idOf(message),
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

/** Keeps messages hidden for as long as their handler runs. The returned function ends that and waits for it. */
function renewVisibility(options: WorkerLoopOptions, messages: readonly Message[]): () => Promise<void> {
  const { client, queueUrl: QueueUrl, visibilityTimeoutSeconds: VisibilityTimeout } = options;
  const ended = new AbortController();
  const Entries = messages.map(({ ReceiptHandle }, index) => ({
    Id: String(index),
    ReceiptHandle,
    VisibilityTimeout,
  }));
  const renew = async () => {
    for (;;) {
      await pause((VisibilityTimeout * 1000) / 3, undefined, { signal: ended.signal }).catch(() => undefined);
      if (ended.signal.aborted) return;
      await client
        .send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }))
        .catch((error: unknown) => {
          options.log.warn("worker-loop:renew-failed", { queueArn: options.queueArn, error });
        });
    }
  };
  const renewing = renew();
  return async () => {
    ended.abort();
    await renewing;
  };
}
