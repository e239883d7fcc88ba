import { randomBytes, randomInt } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import {
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { startChild } from "#tests/support/process/bundled-child";

const bucket = "forge";
const credentials = { accessKeyId: "local", secretAccessKey: "local" };

const server = `
  import { startS3 } from "#infra/local/s3/s3";
  import { startSqs } from "#infra/local/sqs/sqs";
  import { createLog } from "#core/log";
  const folder = process.argv[2];
  const log = createLog((line) => console.error(line));
  const s3 = await startS3({ folder: folder + "/s3", bucket: "${bucket}", log });
  const sqs = await startSqs({ folder: folder + "/sqs", queues: [{ name: "jobs", visibilityTimeoutSeconds: 60 }], log });
  console.log(JSON.stringify({ s3: s3.endpoint, sqs: sqs.endpoint, queueUrl: sqs.queueUrl("jobs") }));
`;

async function startServer(folder: string) {
  const child = await startChild(server, [folder]);
  const { s3, sqs, queueUrl } = JSON.parse(await child.nextLine()) as Record<
    "s3" | "sqs" | "queueUrl",
    string
  >;
  const common = { region: "us-east-1", credentials, maxAttempts: 1 };
  return {
    s3: new S3Client({ ...common, endpoint: s3, forcePathStyle: true }),
    sqs: new SQSClient({ ...common, endpoint: sqs }),
    QueueUrl: queueUrl,
    kill: () => child.kill(),
  };
}
type Server = Awaited<ReturnType<typeof startServer>>;

/** What must be there after a crash. */
interface Ledger {
  /** Contents that a key may have: one when its last write was acknowledged, two while one is under way. */
  objects: Map<string, (string | undefined)[]>;
  /** Messages sent and not deleted. */
  queued: Set<string>;
  /** Messages whose deletion, or sending, was under way: may be there or not. */
  unsure: Set<string>;
  acknowledged: number;
  /** Called after each acknowledged operation. */
  onAcknowledged: () => void;
}

function countAcknowledged(ledger: Ledger): void {
  ledger.acknowledged++;
  ledger.onAcknowledged();
}

/** Writes and deletes objects until the server is gone. One key has one writer. */
async function writeObjects({ s3 }: Server, ledger: Ledger, writer: number): Promise<void> {
  for (;;) {
    const Key = `writer-${writer}/${randomInt(6)}`;
    const [current] = ledger.objects.get(Key) ?? [undefined];
    const isDeletion = current !== undefined && randomInt(4) === 0;
    const next = isDeletion ? undefined : randomBytes(randomInt(1, 100_000)).toString("base64");
    ledger.objects.set(Key, [current, next]);
    const target = { Bucket: bucket, Key };
    const command =
      next === undefined ? new DeleteObjectCommand(target) : new PutObjectCommand({ ...target, Body: next });
    await s3.send(command as PutObjectCommand);
    ledger.objects.set(Key, [next]);
    countAcknowledged(ledger);
  }
}

/** Sends messages, and receives and deletes some, until the server is gone. */
async function exchangeMessages({ sqs, QueueUrl }: Server, ledger: Ledger): Promise<void> {
  for (;;) {
    const MessageBody = randomBytes(randomInt(8, 2000)).toString("base64");
    ledger.unsure.add(MessageBody);
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));
    ledger.unsure.delete(MessageBody);
    ledger.queued.add(MessageBody);
    countAcknowledged(ledger);
    if (randomInt(2) === 0) continue;
    const { Messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl }));
    for (const { Body = "", ReceiptHandle } of Messages ?? []) {
      ledger.queued.delete(Body);
      ledger.unsure.add(Body);
      await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
      ledger.unsure.delete(Body);
      countAcknowledged(ledger);
    }
  }
}

async function readObject({ s3 }: Server, Key: string): Promise<string | undefined> {
  try {
    return await (await s3.send(new GetObjectCommand({ Bucket: bucket, Key }))).Body?.transformToString();
  } catch (error) {
    if ((error as Error).name === "NoSuchKey") return undefined;
    throw error;
  }
}

async function receiveAll({ sqs, QueueUrl }: Server): Promise<string[]> {
  const found: string[] = [];
  for (;;) {
    const command = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 600 });
    const messages: Message[] = (await sqs.send(command)).Messages ?? [];
    if (messages.length === 0) return found;
    found.push(...messages.map(({ Body = "" }) => Body));
  }
}

/** Compares a started server with the ledger; returns what is wrong, and settles in the ledger what was unsure. */
async function verify(running: Server, ledger: Ledger): Promise<string[]> {
  const wrong: string[] = [];
  for (const [key, possible] of ledger.objects) {
    const found = await readObject(running, key);
    if (!possible.includes(found)) wrong.push(`object ${key} is lost or torn`);
    ledger.objects.set(key, [found]);
  }
  const { Contents = [] } = await running.s3.send(new ListObjectsV2Command({ Bucket: bucket }));
  const listed = Contents.map(({ Key, Size }) => `${Key} ${Size}`).join();
  const expected = [...ledger.objects].flatMap(([key, [text]]) =>
    text === undefined ? [] : [`${key} ${text.length}`],
  );
  if (listed !== expected.sort().join()) wrong.push("the list differs from the objects");
  const received = await receiveAll(running);
  for (const body of ledger.queued) if (!received.includes(body)) wrong.push("a message is lost");
  for (const body of received) {
    if (!ledger.queued.has(body) && !ledger.unsure.has(body))
      wrong.push("a deleted message is back, or one is torn");
  }
  if (new Set(received).size !== received.length) wrong.push("a message is there twice");
  ledger.queued = new Set(received);
  ledger.unsure.clear();
  return wrong;
}

/**
 * Kills the S3 and SQS stand-ins with kill -9 at random moments of a mixed load, `rounds` times over one folder, and
 * compares after each start. Returns how much had been acknowledged, and everything that was wrong.
 */
export async function crashRounds(rounds: number): Promise<{ acknowledged: number; wrong: string[] }> {
  const folder = await mkdtemp(join(tmpdir(), "coldforge-crash-"));
  const ledger: Ledger = {
    objects: new Map(),
    queued: new Set(),
    unsure: new Set(),
    acknowledged: 0,
    onAcknowledged: () => undefined,
  };
  const wrong: string[] = [];
  try {
    for (let round = 0; round < rounds; round++) {
      const running = await startServer(folder);
      wrong.push(...(await verify(running, ledger)));
      const killAt = ledger.acknowledged + randomInt(10, 200);
      const killed = new Promise<void>((resolve, reject) => {
        ledger.onAcknowledged = () => {
          if (ledger.acknowledged === killAt) running.kill().then(resolve, reject);
        };
      });
      const load = [0, 1, 2, 3].map((writer) => writeObjects(running, ledger, writer));
      load.push(...[0, 1, 2, 3].map(() => exchangeMessages(running, ledger)));
      const ended = Promise.allSettled(load);
      await Promise.all([killed, ended]);
    }
    const last = await startServer(folder);
    wrong.push(...(await verify(last, ledger)));
    await last.kill();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return { acknowledged: ledger.acknowledged, wrong };
}
