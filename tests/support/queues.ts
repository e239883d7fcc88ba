import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import { clientOptions } from "#core/aws/internal/client-options";
import type { QueueMessage, QueueName } from "#core/events/queue-message";
import { createLog } from "#core/log";
import { toRecord } from "#infra/local/worker-loop";
import { wayToQueues } from "./stand-ins/engines.ts";
import type { OwnStandIns } from "./stand-ins/stand-ins.ts";

/** Works on a batch as a Lambda function does. */
export type BatchHandler = (event: SQSEvent) => Promise<SQSBatchResponse>;

/** The three queues of one test forge, each with its dead letters (after 3 deliveries). */
export interface TestQueues {
  readonly urls: Readonly<Record<QueueName, string>>;
  /** A client for the forge's queues. */
  client(): SQSClient;
  /** Hands everything on the queue to the handler once; what it reports as failed is on the queue again afterwards. */
  drain(queue: QueueName, handler: BatchHandler): Promise<{ done: number; failed: number }>;
  /** Takes what is on the queue, without a worker. */
  take(queue: QueueName): Promise<QueueMessage[]>;
  /** Takes what became a dead letter. */
  takeDead(queue: QueueName): Promise<QueueMessage[]>;
  stop(): Promise<void>;
}

const names = ["webhooks", "mirrors", "repository-events"] as const satisfies QueueName[];
const visibilityTimeoutSeconds = 600;
const quiet = createLog(() => undefined);

/** Starts queues of their own. */
export async function startQueues(
  credentials: { accessKeyId: string; secretAccessKey: string },
  { startSqs }: OwnStandIns,
): Promise<TestQueues> {
  const folder = await mkdtemp(join(tmpdir(), "coldforge-queues-"));
  const queues = names.map((name) => ({
    name,
    visibilityTimeoutSeconds,
    deadLetter: { name: `${name}-dead-letters`, maxReceiveCount: 3 },
  }));
  const sqs = await startSqs({ folder, queues, log: quiet });
  const options = { endpoint: sqs.endpoint, region: "us-east-1", credentials };
  const client = () => new SQSClient({ ...clientOptions, ...options, ...wayToQueues(sqs.endpoint) });
  const direct = client();
  const url = (name: string) => sqs.queueUrl(name);
  return {
    urls: {
      webhooks: url("webhooks"),
      mirrors: url("mirrors"),
      "repository-events": url("repository-events"),
    },
    client,
    drain: (queue, handler) => drain(direct, url(queue), sqs.queueArn(queue), handler),
    take: (queue) => take(direct, url(queue)),
    takeDead: (queue) => take(direct, url(`${queue}-dead-letters`)),
    async stop() {
      direct.destroy();
      await sqs.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function receive(client: SQSClient, QueueUrl: string): Promise<Message[]> {
  const command = new ReceiveMessageCommand({
    QueueUrl,
    MaxNumberOfMessages: 10,
    MessageSystemAttributeNames: ["All"],
  });
  return (await client.send(command)).Messages ?? [];
}

/** Removes what one request has received, at most ten. */
async function remove(client: SQSClient, QueueUrl: string, messages: readonly Message[]): Promise<void> {
  if (messages.length === 0) return;
  const Entries = messages.map(({ ReceiptHandle }, at) => ({ Id: String(at), ReceiptHandle }));
  const { Failed = [] } = await client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
  if (Failed.length > 0) throw new Error(`messages are not removed: ${JSON.stringify(Failed)}`);
}

async function take(client: SQSClient, QueueUrl: string): Promise<QueueMessage[]> {
  const taken: QueueMessage[] = [];
  for (
    let batch = await receive(client, QueueUrl);
    batch.length > 0;
    batch = await receive(client, QueueUrl)
  ) {
    taken.push(...batch.map(({ Body }) => JSON.parse(Body ?? "") as QueueMessage));
    await remove(client, QueueUrl, batch);
  }
  return taken;
}

async function drain(client: SQSClient, QueueUrl: string, arn: string, handler: BatchHandler) {
  const failed: Message[] = [];
  let done = 0;
  for (
    let batch = await receive(client, QueueUrl);
    batch.length > 0;
    batch = await receive(client, QueueUrl)
  ) {
    const answer = await handler({ Records: batch.map((message) => toRecord(message, arn)) });
    const failures = new Set(answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    const hasFailed = ({ MessageId = "" }: Message) => failures.has(MessageId);
    const ended = batch.filter((message) => !hasFailed(message));
    failed.push(...batch.filter(hasFailed));
    done += ended.length;
    await remove(client, QueueUrl, ended);
  }
  for (const { ReceiptHandle } of failed) {
    await client.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }));
  }
  return { done, failed: failed.length };
}
