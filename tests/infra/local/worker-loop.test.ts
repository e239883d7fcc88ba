import { EventEmitter, once } from "node:events";
import {
  ChangeMessageVisibilityCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createLog } from "#core/log";
import { type QueueHandler, runWorkerLoop } from "#infra/local/worker-loop";
import { type StandIns, startStandIns } from "#tests/support/stand-ins/stand-ins";

const queueArn = "arn:aws:sqs:us-east-1:000000000000:webhooks";
let standIns: StandIns;
let client: SQSClient;
let stopping: AbortController;
let loop: Promise<void> | undefined;
let lines: string[];

beforeEach(async () => {
  standIns = await startStandIns();
  const { sqsEndpoint: endpoint, region, credentials } = standIns;
  client = new SQSClient({ endpoint, region, credentials, maxAttempts: 1 });
  stopping = new AbortController();
  lines = [];
});
afterEach(async () => {
  stopping.abort();
  await loop;
  client.destroy();
  await standIns.stop();
});

const QueueUrl = () => standIns.queueUrls.webhooks;
const send = (MessageBody: string) =>
  client.send(new SendMessageCommand({ QueueUrl: QueueUrl(), MessageBody }));
const run = (handler: QueueHandler, options: object = {}) => {
  const log = createLog((line) => lines.push(line));
  const settings = {
    client,
    queueUrl: QueueUrl(),
    queueArn,
    mostAtOnce: 10,
    visibilityTimeoutSeconds: 60,
    log,
  };
  loop = runWorkerLoop({ ...settings, handler, signal: stopping.signal, ...options });
  return loop;
};
const remaining = async () => {
  const command = new GetQueueAttributesCommand({ QueueUrl: QueueUrl(), AttributeNames: ["All"] });
  const { Attributes = {} } = await client.send(command);
  return (
    Number(Attributes.ApproximateNumberOfMessages) + Number(Attributes.ApproximateNumberOfMessagesNotVisible)
  );
};
/** Ends the time for which messages are hidden, so that nothing here depends on how long it is. */
const show = (records: SQSRecord[]) =>
  Promise.all(
    records.map(({ receiptHandle: ReceiptHandle }) =>
      client.send(
        new ChangeMessageVisibilityCommand({ QueueUrl: QueueUrl(), ReceiptHandle, VisibilityTimeout: 0 }),
      ),
    ),
  );
const done: SQSBatchResponse = { batchItemFailures: [] };
const failed = (...ids: string[]) => ({
  batchItemFailures: ids.map((itemIdentifier) => ({ itemIdentifier })),
});

describe("runWorkerLoop", () => {
  it("hands messages over as Lambda does and deletes them", async () => {
    const handler = vi.fn(async (_event: SQSEvent) => done);
    const { MessageId } = await send("hello");
    run(handler);
    await expect.poll(remaining).toBe(0);
    expect(handler).toHaveBeenCalledExactlyOnceWith({
      Records: [
        {
          messageId: MessageId,
          receiptHandle: expect.any(String),
          body: "hello",
          attributes: {
            SenderId: expect.any(String),
            SentTimestamp: expect.stringMatching(/^\d{13}$/),
            ApproximateReceiveCount: "1",
            ApproximateFirstReceiveTimestamp: expect.stringMatching(/^\d{13}$/),
          },
          messageAttributes: {},
          md5OfBody: "5d41402abc4b2a76b9719d911017c592",
          eventSource: "aws:sqs",
          eventSourceARN: queueArn,
          awsRegion: "us-east-1",
        },
      ],
    });
  });

  it("brings a failed record back until it succeeds, and the others not", async () => {
    const seen: string[] = [];
    await Promise.all([send("good"), send("bad")]);
    run(async ({ Records }) => {
      seen.push(...Records.map(({ body, attributes }) => `${body} ${attributes.ApproximateReceiveCount}`));
      const bad = Records.filter(
        ({ body, attributes }) => body === "bad" && attributes.ApproximateReceiveCount === "1",
      );
      await show(bad);
      return failed(...bad.map((one) => one.messageId));
    });
    await expect.poll(remaining).toBe(0);
    expect(seen.sort()).toEqual(["bad 1", "bad 2", "good 1"]);
  });

  it("brings a message back when the handler throws, and to the dead-letter queue at last", async () => {
    await send("poison");
    run(async () => Promise.reject(new Error("broken handler")), { visibilityTimeoutSeconds: 1 });
    const command = new ReceiveMessageCommand({
      QueueUrl: standIns.queueUrls["webhooks-dead-letters"],
      WaitTimeSeconds: 20,
    });
    expect((await client.send(command)).Messages?.map(({ Body }) => Body)).toEqual(["poison"]);
    expect(await remaining()).toBe(0);
  });

  it("brings a message back when the handler reports an id that is not its own", async () => {
    const handler = vi.fn(async (_event: SQSEvent) => done);
    handler.mockImplementationOnce(async ({ Records }) => {
      await show(Records);
      return failed("unknown");
    });
    await send("again");
    run(handler);
    await expect.poll(remaining).toBe(0);
    expect(handler).toHaveBeenCalledTimes(2);
  });

  it("does and deletes others while one message is slow, so many at once as it may", async () => {
    const held = new EventEmitter();
    const seen: string[] = [];
    let atOnce = 0;
    let most = 0;
    await send("slow");
    run(
      async ({ Records }) => {
        atOnce += 1;
        most = Math.max(most, atOnce);
        const [body = ""] = Records.map((record) => record.body);
        seen.push(body);
        if (body === "slow") await once(held, "finish");
        atOnce -= 1;
        return done;
      },
      { mostAtOnce: 3, visibilityTimeoutSeconds: 60 },
    );
    await expect.poll(() => seen).toEqual(["slow"]);
    await Promise.all(Array.from({ length: 12 }, (_, at) => send(`quick-${at}`)));
    await expect.poll(remaining).toBe(1);
    expect(seen).toHaveLength(13);
    expect(most).toBeLessThanOrEqual(3);
    held.emit("finish");
    await expect.poll(remaining).toBe(0);
  });

  it("ends when it is told to, after what is at hand", async () => {
    const held = new EventEmitter();
    const handler = vi.fn(async () => {
      await once(held, "finish");
      return done;
    });
    await send("last");
    const running = run(handler);
    await expect.poll(() => handler).toHaveBeenCalled();
    stopping.abort();
    held.emit("finish");
    await running;
    expect(await remaining()).toBe(0);
  });

  it("ends at once while it waits for messages", async () => {
    const running = run(async () => done);
    await remaining();
    stopping.abort();
    await running;
  });

  it("goes on when the queue could not be reached for a while", async () => {
    const handler = vi.fn(async () => done);
    vi.spyOn(client, "send").mockRejectedValueOnce(new Error("connection refused"));
    run(handler);
    await send("after");
    await expect.poll(() => handler).toHaveBeenCalledOnce();
    expect(lines.join()).toContain("worker-loop:queue-unreachable");
  });
});
