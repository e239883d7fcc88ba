import { randomUUID } from "node:crypto";
import {
  ChangeMessageVisibilityBatchCommand,
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
} from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ConformanceTarget, connectTarget } from "../target.ts";

// Runs against AWS too: see target.ts for the variables. Each test receives what it sent and deletes it.

let target: ConformanceTarget;
beforeAll(async () => {
  target = await connectTarget();
});
afterAll(() => target.stop());

const send = (body: string, options: object = {}) =>
  target.sqs.send(new SendMessageCommand({ QueueUrl: target.queueUrl, MessageBody: body, ...options }));
const receive = async (options: object = {}, QueueUrl = target.queueUrl): Promise<Message[]> => {
  const attributes = { MessageSystemAttributeNames: ["All" as const] };
  const command = new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 2, ...attributes, ...options });
  return (await target.sqs.send(command)).Messages ?? [];
};
/** The second for which tests hide messages; clocks of timers and of tests differ by milliseconds. */
const hiddenMs = 950;
/** Receives until that many have come: a real queue answers from a part of its servers at a time. */
const receiveAll = async (count: number): Promise<Message[]> => {
  const found: Message[] = [];
  while (found.length < count) found.push(...(await receive({ MaxNumberOfMessages: 10 })));
  return found;
};
const remove = ({ ReceiptHandle }: Message, QueueUrl = target.queueUrl) =>
  target.sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
const show = ({ ReceiptHandle }: Message, VisibilityTimeout = 0) =>
  target.sqs.send(
    new ChangeMessageVisibilityCommand({ QueueUrl: target.queueUrl, ReceiptHandle, VisibilityTimeout }),
  );
const one = <T>(list: readonly T[]): T => {
  expect(list).toHaveLength(1);
  return list[0] as T;
};

describe("SendMessage, ReceiveMessage and DeleteMessage", () => {
  it("hand over the body with what is known of the message, and delete it", async () => {
    const body = `{"text":"ü \u{1f600} ${randomUUID()}"}`;
    const sent = await send(body);
    const message = one(await receive());
    expect(message).toMatchObject({
      Body: body,
      MessageId: sent.MessageId,
      MD5OfBody: sent.MD5OfMessageBody,
    });
    expect(message.Attributes).toMatchObject({ ApproximateReceiveCount: "1" });
    expect(Number(message.Attributes?.SentTimestamp)).toBeGreaterThan(Date.now() - 600_000);
    await remove(message);
    expect(await receive({ WaitTimeSeconds: 0 })).toEqual([]);
  });

  it("hide a received message until its visibility timeout ends, and count its receives", async () => {
    await send("hidden");
    const asked = performance.now();
    const first = one(await receive({ VisibilityTimeout: 1 }));
    const second = one(await receive({ WaitTimeSeconds: 20 }));
    expect(performance.now() - asked).toBeGreaterThanOrEqual(hiddenMs);
    expect(second.MessageId).toBe(first.MessageId);
    expect(second.ReceiptHandle).not.toBe(first.ReceiptHandle);
    expect(second.Attributes?.ApproximateReceiveCount).toBe("2");
    await remove(second);
  });

  it("answer a waiting receiver as soon as a message comes", async () => {
    const waiting = receive({ WaitTimeSeconds: 20 });
    await send("awaited");
    const message = one(await waiting);
    expect(message.Body).toBe("awaited");
    await remove(message);
  });

  it("hold a delayed message back", async () => {
    const asked = performance.now();
    await send("delayed", { DelaySeconds: 1 });
    const message = one(await receive({ WaitTimeSeconds: 20 }));
    expect(performance.now() - asked).toBeGreaterThanOrEqual(hiddenMs);
    await remove(message);
  });

  it("accept the deletion of what is already deleted", async () => {
    await send("twice");
    const message = one(await receive());
    await remove(message);
    await remove(message);
  });

  it("refuse what is out of bounds", async () => {
    await expect(send("x", { DelaySeconds: 901 })).rejects.toMatchObject({
      $metadata: { httpStatusCode: 400 },
    });
    await expect(receive({ MaxNumberOfMessages: 11 })).rejects.toMatchObject({
      $metadata: { httpStatusCode: 400 },
    });
    await expect(remove({ ReceiptHandle: "nonsense" })).rejects.toMatchObject({
      name: "ReceiptHandleIsInvalid",
    });
  });
});

describe("SendMessageBatch and DeleteMessageBatch", () => {
  it("send and delete up to ten at once", async () => {
    const QueueUrl = target.queueUrl;
    const bodies = Array.from({ length: 10 }, (_, index) => `batch ${index}`);
    const sent = await target.sqs.send(
      new SendMessageBatchCommand({
        QueueUrl,
        Entries: bodies.map((MessageBody, index) => ({ Id: `m-${index}`, MessageBody })),
      }),
    );
    expect(sent.Failed ?? []).toEqual([]);
    expect(sent.Successful?.map(({ Id }) => Id)).toEqual(bodies.map((_, index) => `m-${index}`));
    const messages = await receiveAll(10);
    expect(messages.map(({ Body }) => Body).sort()).toEqual(bodies);
    const Entries = messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
    const removed = await target.sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
    expect(removed.Successful).toHaveLength(10);
  });

  it("report the entries that failed and do the others", async () => {
    await send("kept");
    const message = one(await receive());
    const Entries = [
      { Id: "good", ReceiptHandle: message.ReceiptHandle },
      { Id: "bad", ReceiptHandle: "nonsense" },
    ];
    const command = new DeleteMessageBatchCommand({ QueueUrl: target.queueUrl, Entries });
    const answer = await target.sqs.send(command);
    expect(answer.Successful).toEqual([{ Id: "good" }]);
    expect(answer.Failed).toMatchObject([{ Id: "bad", SenderFault: true, Code: "ReceiptHandleIsInvalid" }]);
  });

  it("refuse empty, long and ambiguous batches", async () => {
    const batch = (ids: string[]) =>
      target.sqs.send(
        new SendMessageBatchCommand({
          QueueUrl: target.queueUrl,
          Entries: ids.map((Id) => ({ Id, MessageBody: "x" })),
        }),
      );
    await expect(batch([])).rejects.toMatchObject({ name: "EmptyBatchRequest" });
    await expect(batch(["a", "a"])).rejects.toMatchObject({ name: "BatchEntryIdsNotDistinct" });
    const eleven = Array.from({ length: 11 }, (_, index) => String(index));
    await expect(batch(eleven)).rejects.toMatchObject({ name: "TooManyEntriesInBatchRequest" });
  });
});

describe("ChangeMessageVisibility", () => {
  it("shows a message at once with 0", async () => {
    await send("again");
    const first = one(await receive());
    await show(first);
    const second = one(await receive());
    expect(second.MessageId).toBe(first.MessageId);
    await remove(second);
  });

  it("keeps a message hidden for longer, in batches too", async () => {
    await send("longer");
    const message = one(await receive({ VisibilityTimeout: 2 }));
    const entry = { Id: "a", ReceiptHandle: message.ReceiptHandle, VisibilityTimeout: 30 };
    const command = new ChangeMessageVisibilityBatchCommand({ QueueUrl: target.queueUrl, Entries: [entry] });
    expect((await target.sqs.send(command)).Successful).toEqual([{ Id: "a" }]);
    expect(await receive({ WaitTimeSeconds: 3 })).toEqual([]);
    await remove(message);
  });

  it("MessageNotInflight: is refused for a message that nobody works on", async () => {
    await send("visible");
    const message = one(await receive());
    await show(message);
    await expect(show(message, 5)).rejects.toThrow();
    await remove(one(await receive()));
  });
});

describe("dead-letter queue", () => {
  it("gets a message that was received 3 times and not deleted", async () => {
    const body = `poison ${randomUUID()}`;
    await send(body);
    for (let count = 1; count <= 3; count++) {
      const message = one(await receive());
      expect(message.Attributes?.ApproximateReceiveCount).toBe(String(count));
      await show(message);
    }
    expect(await receive({ WaitTimeSeconds: 1 })).toEqual([]);
    const dead = one(await receive({ WaitTimeSeconds: 20 }, target.deadLetterQueueUrl));
    expect(dead.Body).toBe(body);
    await remove(dead, target.deadLetterQueueUrl);
  });
});

describe("GetQueueUrl and GetQueueAttributes", () => {
  it("find a queue by its name", async () => {
    const QueueName = target.queueUrl.split("/").at(-1) ?? "";
    const found = await target.sqs.send(new GetQueueUrlCommand({ QueueName }));
    expect(found.QueueUrl).toBe(target.queueUrl);
    const absent = new GetQueueUrlCommand({ QueueName: `absent-${randomUUID()}` });
    await expect(target.sqs.send(absent)).rejects.toMatchObject({ name: "QueueDoesNotExist" });
  });

  it("tell settings and counts", async () => {
    const command = new GetQueueAttributesCommand({ QueueUrl: target.queueUrl, AttributeNames: ["All"] });
    const { Attributes } = await target.sqs.send(command);
    expect(Attributes).toMatchObject({
      VisibilityTimeout: "30",
      QueueArn: expect.stringMatching(/^arn:aws:sqs:/),
    });
    expect(Number(Attributes?.ApproximateNumberOfMessages)).toBeGreaterThanOrEqual(0);
    expect(JSON.parse(Attributes?.RedrivePolicy ?? "{}").maxReceiveCount).toBe(3);
  });
});
