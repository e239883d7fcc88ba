import { createHash } from "node:crypto";
import { z } from "zod";
import { invalidParameter, SqsError } from "./error.ts";
import type { MessageStore, ReceivedMessage } from "./message-store.ts";

/** The parts that an operation works with. */
export interface SqsContext {
  store: MessageStore;
  /** The address of a queue, and its name in policies. */
  queueUrl(name: string): string;
  queueArn(name: string): string;
  /** Aborts when the client has gone away. */
  signal: AbortSignal;
}

/** One operation: takes the request's JSON, gives the answer's. Throws SqsError. */
export type SqsOperation = (input: unknown, context: SqsContext) => Promise<object>;

const maximumBodyBytes = 256 * 1024;
const batchLimit = 10;
const md5 = (text: string) => createHash("md5").update(text).digest("hex");
const nameIn = (queueUrl: string) => queueUrl.slice(queueUrl.lastIndexOf("/") + 1);

// The shapes are strict: a parameter that this stand-in doesn't know is refused by name, never ignored.
const queueUrl = z.string();
const seconds = (most: number) => z.int().min(0).max(most);
const body = z.string().min(1);
const entryId = z.string().regex(/^[\w-]{1,80}$/);
const names = z.array(z.string()).optional();
const maximumVisibilitySeconds = 12 * 3600;

function operation<T extends z.ZodType>(
  shape: T,
  run: (input: z.output<T>, context: SqsContext) => Promise<object>,
) {
  const execute: SqsOperation = async (input, context) => {
    const parsed = shape.safeParse(input);
    if (!parsed.success) throw invalidParameter(z.prettifyError(parsed.error));
    return run(parsed.data, context);
  };
  return execute;
}

const batch = <T extends z.ZodRawShape>(entry: T) =>
  z.strictObject({ QueueUrl: queueUrl, Entries: z.array(z.strictObject({ Id: entryId, ...entry })) });

function checkBatch(entries: readonly { Id: string }[]): void {
  if (entries.length === 0) throw new SqsError("EmptyBatchRequest", "There should be at least one entry.");
  if (entries.length > batchLimit) {
    throw new SqsError(
      "TooManyEntriesInBatchRequest",
      `Maximum number of entries per request are ${batchLimit}.`,
    );
  }
  if (new Set(entries.map(({ Id }) => Id)).size < entries.length) {
    throw new SqsError("BatchEntryIdsNotDistinct", "Two or more batch entries have the same Id.");
  }
}

const sendMessage = operation(
  z.strictObject({ QueueUrl: queueUrl, MessageBody: body, DelaySeconds: seconds(900).default(0) }),
  async ({ QueueUrl, MessageBody, DelaySeconds }, { store }) => {
    if (Buffer.byteLength(MessageBody) > maximumBodyBytes) {
      throw invalidParameter(`A message must be shorter than ${maximumBodyBytes} bytes.`);
    }
    const [MessageId] = await store.send(nameIn(QueueUrl), [
      { body: MessageBody, delaySeconds: DelaySeconds },
    ]);
    return { MessageId, MD5OfMessageBody: md5(MessageBody) };
  },
);

const sendMessageBatch = operation(
  batch({ MessageBody: body, DelaySeconds: seconds(900).default(0) }),
  async ({ QueueUrl, Entries }, { store }) => {
    checkBatch(Entries);
    const sizeBytes = Entries.reduce((sum, { MessageBody }) => sum + Buffer.byteLength(MessageBody), 0);
    if (sizeBytes > maximumBodyBytes) {
      throw new SqsError(
        "BatchRequestTooLong",
        `Batch requests cannot be longer than ${maximumBodyBytes} bytes.`,
      );
    }
    const drafts = Entries.map(({ MessageBody, DelaySeconds }) => ({
      body: MessageBody,
      delaySeconds: DelaySeconds,
    }));
    const ids = await store.send(nameIn(QueueUrl), drafts);
    const Successful = Entries.map(({ Id, MessageBody }, index) => ({
      Id,
      MessageId: ids[index],
      MD5OfMessageBody: md5(MessageBody),
    }));
    return { Successful, Failed: [] };
  },
);

const receiveMessage = operation(
  z.strictObject({
    QueueUrl: queueUrl,
    MaxNumberOfMessages: z.int().min(1).max(batchLimit).default(1),
    VisibilityTimeout: seconds(maximumVisibilitySeconds).optional(),
    WaitTimeSeconds: seconds(20).default(0),
    AttributeNames: names,
    MessageSystemAttributeNames: names,
    MessageAttributeNames: names,
  }),
  async (input, { store, signal }) => {
    const name = nameIn(input.QueueUrl);
    const visibilitySeconds = input.VisibilityTimeout ?? store.settings(name).visibilityTimeoutSeconds;
    const options = {
      limit: input.MaxNumberOfMessages,
      visibilitySeconds,
      waitSeconds: input.WaitTimeSeconds,
    };
    const received = await store.receive(name, options, signal);
    if (signal.aborted) store.giveBack(name, received);
    const asked = [...(input.AttributeNames ?? []), ...(input.MessageSystemAttributeNames ?? [])];
    return received.length === 0 ? {} : { Messages: received.map((one) => present(one, asked)) };
  },
);

function present({ message, receiptHandle }: ReceivedMessage, asked: readonly string[]): object {
  const known = {
    SenderId: "local",
    SentTimestamp: String(message.sentAt),
    ApproximateReceiveCount: String(message.receiveCount),
    ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt ?? message.sentAt),
  };
  return {
    MessageId: message.id,
    ReceiptHandle: receiptHandle,
    MD5OfBody: md5(message.body),
    Body: message.body,
    ...(asked.length > 0 && { Attributes: pick(known, asked) }),
  };
}

/** The properties that are asked for by name, or `All`. */
function pick(known: Record<string, string>, asked: readonly string[]): Record<string, string> {
  const isAsked = ([name]: [string, string]) => asked.includes("All") || asked.includes(name);
  return Object.fromEntries(Object.entries(known).filter(isAsked));
}

const deleteMessage = operation(
  z.strictObject({ QueueUrl: queueUrl, ReceiptHandle: z.string() }),
  async ({ QueueUrl, ReceiptHandle }, { store }) => {
    await store.remove(nameIn(QueueUrl), [ReceiptHandle]);
    return {};
  },
);

const deleteMessageBatch = operation(
  batch({ ReceiptHandle: z.string() }),
  async ({ QueueUrl, Entries }, { store }) => {
    checkBatch(Entries);
    return eachEntry(Entries, ({ ReceiptHandle }) => store.remove(nameIn(QueueUrl), [ReceiptHandle]));
  },
);

const visibility = { ReceiptHandle: z.string(), VisibilityTimeout: seconds(maximumVisibilitySeconds) };

const changeMessageVisibility = operation(
  z.strictObject({ QueueUrl: queueUrl, ...visibility }),
  async ({ QueueUrl, ReceiptHandle, VisibilityTimeout }, { store }) => {
    store.changeVisibility(nameIn(QueueUrl), ReceiptHandle, VisibilityTimeout);
    return {};
  },
);

const changeMessageVisibilityBatch = operation(
  batch(visibility),
  async ({ QueueUrl, Entries }, { store }) => {
    checkBatch(Entries);
    return eachEntry(Entries, async ({ ReceiptHandle, VisibilityTimeout }) =>
      store.changeVisibility(nameIn(QueueUrl), ReceiptHandle, VisibilityTimeout),
    );
  },
);

/** Runs each entry on its own: a refused one is reported, the others go on. */
async function eachEntry<T extends { Id: string }>(entries: readonly T[], run: (entry: T) => Promise<void>) {
  const outcomes = await Promise.allSettled(entries.map(run));
  const Successful: object[] = [];
  const Failed: object[] = [];
  for (const [index, { Id }] of entries.entries()) {
    const outcome = outcomes[index];
    if (outcome?.status !== "rejected") Successful.push({ Id });
    else if (outcome.reason instanceof SqsError) {
      Failed.push({ Id, SenderFault: true, Code: outcome.reason.code, Message: outcome.reason.message });
    } else throw outcome.reason;
  }
  return { Successful, Failed };
}

const getQueueUrl = operation(
  z.strictObject({ QueueName: z.string(), QueueOwnerAWSAccountId: z.string().optional() }),
  async ({ QueueName }, { store, queueUrl }) => ({ QueueUrl: queueUrl(store.settings(QueueName).name) }),
);

const getQueueAttributes = operation(
  z.strictObject({ QueueUrl: queueUrl, AttributeNames: names }),
  async ({ QueueUrl, AttributeNames = [] }, { store, queueArn }) => {
    const { name, visibilityTimeoutSeconds, deadLetter } = store.settings(nameIn(QueueUrl));
    const counts = store.counts(name);
    const redrive = deadLetter && {
      deadLetterTargetArn: queueArn(deadLetter.name),
      maxReceiveCount: deadLetter.maxReceiveCount,
    };
    const known = {
      QueueArn: queueArn(name),
      ApproximateNumberOfMessages: String(counts.visible),
      ApproximateNumberOfMessagesNotVisible: String(counts.inFlight),
      ApproximateNumberOfMessagesDelayed: String(counts.delayed),
      VisibilityTimeout: String(visibilityTimeoutSeconds),
      MaximumMessageSize: String(maximumBodyBytes),
      ...(redrive && { RedrivePolicy: JSON.stringify(redrive) }),
    };
    return { Attributes: pick(known, AttributeNames) };
  },
);

const purgeQueue = operation(z.strictObject({ QueueUrl: queueUrl }), async ({ QueueUrl }, { store }) => {
  await store.purge(nameIn(QueueUrl));
  return {};
});

/** The operations that this stand-in knows, by the name in `X-Amz-Target`. */
export const operations: Readonly<Record<string, SqsOperation>> = {
  SendMessage: sendMessage,
  SendMessageBatch: sendMessageBatch,
  ReceiveMessage: receiveMessage,
  DeleteMessage: deleteMessage,
  DeleteMessageBatch: deleteMessageBatch,
  ChangeMessageVisibility: changeMessageVisibility,
  ChangeMessageVisibilityBatch: changeMessageVisibilityBatch,
  GetQueueUrl: getQueueUrl,
  GetQueueAttributes: getQueueAttributes,
  PurgeQueue: purgeQueue,
};
