import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";

/** The dead-letter queue of a queue, from its redrive policy. Throws without one. */
export async function deadLettersOf(client: SQSClient, QueueUrl: string): Promise<string> {
  const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["RedrivePolicy"] });
  const { RedrivePolicy } = (await client.send(command)).Attributes ?? {};
  if (RedrivePolicy === undefined) throw new Error(`the queue ${QueueUrl} has no dead letters`);
  const { deadLetterTargetArn } = JSON.parse(RedrivePolicy) as { deadLetterTargetArn: string };
  const QueueName = deadLetterTargetArn.slice(deadLetterTargetArn.lastIndexOf(":") + 1);
  const { QueueUrl: found } = await client.send(new GetQueueUrlCommand({ QueueName }));
  return found ?? "";
}

/** Long enough to look at all of them; the messages of a killed command come back then. */
const hiddenSeconds = 120;
const batchSize = 10;

/** Takes messages until there are no more (or `most`); they stay hidden meanwhile, so that none is taken twice. */
async function* take(client: SQSClient, QueueUrl: string, most: number): AsyncGenerator<Message> {
  for (let taken = 0; taken < most; ) {
    const command = new ReceiveMessageCommand({
      QueueUrl,
      MaxNumberOfMessages: Math.min(batchSize, most - taken),
      VisibilityTimeout: hiddenSeconds,
      WaitTimeSeconds: 1,
      MessageSystemAttributeNames: ["All"],
    });
    const { Messages = [] } = await client.send(command);
    if (Messages.length === 0) return;
    taken += Messages.length;
    yield* Messages;
  }
}

/** Looks at the dead letters of a queue, at most so many, and leaves them where they are. */
export async function listDeadLetters(client: SQSClient, queueUrl: string, most: number): Promise<Message[]> {
  const QueueUrl = await deadLettersOf(client, queueUrl);
  const found: Message[] = [];
  for await (const message of take(client, QueueUrl, most)) found.push(message);
  for (let at = 0; at < found.length; at += batchSize) {
    const Entries = found
      .slice(at, at + batchSize)
      .map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle, VisibilityTimeout: 0 }));
    await client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }));
  }
  return found;
}

/**
 * Puts dead letters back on their queue, to be handled anew; answers how many. Each is sent before it is removed: a
 * crash in between handles it twice, which consumers bear. One that dies again meanwhile is not taken twice.
 */
export async function redriveDeadLetters(client: SQSClient, queueUrl: string): Promise<number> {
  const QueueUrl = await deadLettersOf(client, queueUrl);
  const command = new GetQueueAttributesCommand({
    QueueUrl,
    AttributeNames: ["ApproximateNumberOfMessages"],
  });
  const { ApproximateNumberOfMessages = "0" } = (await client.send(command)).Attributes ?? {};
  let moved = 0;
  for await (const { Body = "", ReceiptHandle } of take(
    client,
    QueueUrl,
    Number(ApproximateNumberOfMessages),
  )) {
    await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: afresh(Body) }));
    await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    moved += 1;
  }
  return moved;
}

/** The message without its count of deferrals, over which it would be a dead letter again at once. */
function afresh(body: string): string {
  try {
    const { deferrals, ...message } = JSON.parse(body) as Record<string, unknown>;
    return deferrals === undefined ? body : JSON.stringify(message);
  } catch {
    return body; // not one of ours: its consumer says so again
  }
}
