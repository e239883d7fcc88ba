import { appendFile, mkdtemp, open, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  AddPermissionCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { createLog } from "#core/log";
import { type Sqs, startSqs } from "#infra/local/sqs/sqs";

const credentials = { accessKeyId: "local", secretAccessKey: "local" };
const queues = [
  { name: "jobs", visibilityTimeoutSeconds: 60, deadLetter: { name: "dead", maxReceiveCount: 2 } },
];

let folder: string;
let running: Sqs;
let client: SQSClient;
let lines: string[];

const start = async () => {
  running = await startSqs({ folder, queues, log: createLog((line) => lines.push(line)) });
  client = new SQSClient({ endpoint: running.endpoint, region: "us-east-1", credentials, maxAttempts: 1 });
};
const restart = async () => {
  client.destroy();
  await running.stop();
  await start();
};
const journal = () => join(folder, "journal");
const send = (MessageBody: string, options: object = {}) =>
  client.send(new SendMessageCommand({ QueueUrl: running.queueUrl("jobs"), MessageBody, ...options }));
const receive = async (queue = "jobs", options: object = {}): Promise<Message[]> => {
  const QueueUrl = running.queueUrl(queue);
  const command = new ReceiveMessageCommand({
    QueueUrl,
    MaxNumberOfMessages: 10,
    MessageSystemAttributeNames: ["All"],
    ...options,
  });
  return (await client.send(command)).Messages ?? [];
};
const remove = ({ ReceiptHandle }: Message) =>
  client.send(new DeleteMessageCommand({ QueueUrl: running.queueUrl("jobs"), ReceiptHandle }));
const bodies = (messages: readonly Message[]) => messages.map(({ Body }) => Body).sort();
const counts = async (queue = "jobs") => {
  const command = new GetQueueAttributesCommand({
    QueueUrl: running.queueUrl(queue),
    AttributeNames: ["All"],
  });
  const { Attributes = {} } = await client.send(command);
  const { ApproximateNumberOfMessages: visible, ApproximateNumberOfMessagesNotVisible: inFlight } =
    Attributes;
  return [visible, inFlight, Attributes.ApproximateNumberOfMessagesDelayed].map(Number);
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "coldforge-sqs-"));
  lines = [];
  await start();
});
afterEach(async () => {
  vi.restoreAllMocks();
  client.destroy();
  await running.stop();
  await rm(folder, { recursive: true, force: true });
});

describe("startSqs", () => {
  it("keeps messages, deletions, delays and counts of receives over a stop and a start", async () => {
    for (const body of ["deleted", "received", "untouched"]) await send(body);
    await send("delayed", { DelaySeconds: 60 });
    for (const message of await receive()) if (message.Body === "deleted") await remove(message);
    await restart();
    expect(await counts()).toEqual([2, 0, 1]);
    const found = await receive();
    expect(bodies(found)).toEqual(["received", "untouched"]);
    expect(found.map(({ Attributes }) => Attributes?.ApproximateReceiveCount)).toEqual(["2", "2"]);
  });

  it("accepts a receipt handle of before the start", async () => {
    await send("a");
    const [message] = await receive();
    await restart();
    await remove(message as Message);
    expect(await counts()).toEqual([0, 0, 0]);
  });

  it("moves a message that brings the process down each time to the dead-letter queue", async () => {
    await send("poison");
    for (let crash = 1; crash <= 2; crash++) {
      expect(await receive()).toHaveLength(1);
      await restart();
    }
    expect(await receive()).toEqual([]);
    await restart();
    expect(bodies(await receive("dead"))).toEqual(["poison"]);
  });

  it("stops although a receiver waits whose time does not end, and answers it", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const waiting = receive("jobs", { WaitTimeSeconds: 20 });
    await expect.poll(() => counts()).toEqual([0, 0, 0]);
    await running.stop();
    expect(await waiting.catch(() => [])).toEqual([]);
  });

  it("shows a message again whose receiver went away before the answer", async () => {
    const gone = new AbortController();
    const command = new ReceiveMessageCommand({ QueueUrl: running.queueUrl("jobs"), WaitTimeSeconds: 20 });
    const waiting = client.send(command, { abortSignal: gone.signal });
    await counts();
    gone.abort();
    await expect(waiting).rejects.toMatchObject({ name: "AbortError" });
    await send("a");
    expect(bodies(await receive("jobs", { WaitTimeSeconds: 20 }))).toEqual(["a"]);
  });

  it("hands each message to one of many receivers", async () => {
    const sent = Array.from({ length: 60 }, (_, index) => `m${index}`);
    const found: Message[] = [];
    const receivers = Array.from({ length: 8 }, async () => {
      while (found.length < sent.length) {
        found.push(...(await receive("jobs", { WaitTimeSeconds: 1, MaxNumberOfMessages: 3 })));
      }
    });
    await Promise.all([...sent.map((body) => send(body)), ...receivers]);
    expect(bodies(found)).toEqual([...sent].sort());
  });

  it("purges a queue", async () => {
    await send("a");
    await client.send(new PurgeQueueCommand({ QueueUrl: running.queueUrl("jobs") }));
    await restart();
    expect(await counts()).toEqual([0, 0, 0]);
  });

  it("400: refuses operations, parameters and queues that it doesn't know by name", async () => {
    const QueueUrl = running.queueUrl("jobs");
    const permission = new AddPermissionCommand({
      QueueUrl,
      Label: "a",
      AWSAccountIds: ["1"],
      Actions: ["*"],
    });
    await expect(client.send(permission)).rejects.toMatchObject({
      name: "UnsupportedOperation",
      message: expect.stringContaining("AddPermission"),
    });
    await expect(send("x", { MessageGroupId: "g" })).rejects.toThrow(/MessageGroupId/);
    const absent = new SendMessageCommand({ QueueUrl: running.queueUrl("absent"), MessageBody: "x" });
    await expect(client.send(absent)).rejects.toMatchObject({ name: "QueueDoesNotExist" });
    await expect(send("x".repeat(256 * 1024 + 1))).rejects.toThrow(/262144/);
  });
});

describe("the journal", () => {
  it("loses nothing but the half line that a crash leaves", async () => {
    await send("a");
    await running.stop();
    await appendFile(journal(), '{"kind":"put","message":{"id":"b"');
    await start();
    await send("c");
    await restart();
    expect(bodies(await receive())).toEqual(["a", "c"]);
    expect(await readdir(folder)).toEqual(["journal"]);
  });

  it("keeps what follows a damaged line aside, and says so", async () => {
    await send("a");
    await send("b");
    await send("c");
    await running.stop();
    const [first, second, third] = (await readFile(journal(), "utf8")).split("\n");
    const damaged = `${second?.replace("{", "\0")}\n${third}\n`;
    await writeFile(journal(), `${first}\n${damaged}`);
    await start();
    expect(bodies(await receive())).toEqual(["a"]);
    const aside = (await readdir(folder)).find((name) => name.startsWith("journal.damaged-"));
    expect(await readFile(join(folder, aside ?? ""), "utf8")).toBe(damaged);
    expect(lines.join()).toContain("journal:damaged");
  });

  it("is rewritten in short when it has grown, with nothing lost", async () => {
    const body = "x".repeat(200_000);
    await send("kept");
    for (let count = 0; count < 30; count++) {
      await send(body);
      for (const message of await receive()) if (message.Body === body) await remove(message);
    }
    expect((await stat(journal())).size).toBeLessThan(5_000_000);
    await send("after");
    await restart();
    expect(bodies(await receive())).toEqual(["after", "kept"]);
  });

  it("507: refuses a message when the disk is full, with nothing of it left", async () => {
    await send("a");
    const before = await readFile(journal());
    const handle = await open(journal());
    const prototype = Object.getPrototypeOf(handle) as typeof handle;
    await handle.close();
    const full = Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
    vi.spyOn(prototype, "datasync").mockRejectedValueOnce(full);
    await expect(send("b")).rejects.toMatchObject({ $metadata: { httpStatusCode: 507 } });
    expect(await readFile(journal())).toEqual(before);
    await send("c");
    await restart();
    expect(bodies(await receive())).toEqual(["a", "c"]);
  });
});
