import { randomBytes } from "node:crypto";
import { open, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { Log } from "#core/log";
import { syncFolder } from "./durable-file.ts";
import { ensureTable, startDynamodb } from "./dynamodb.ts";
import { startS3 } from "./s3/s3.ts";
import { startSqs } from "./sqs/sqs.ts";

/** How long a message stays hidden from other workers; renewed while one works on it. */
export const visibilityTimeoutSeconds = 60;

/** The queues of the service, as deployed: where a message ends after too many tries. */
const queues = ["webhooks", "mirrors", "repository-events"].map((name) => ({
  name,
  visibilityTimeoutSeconds,
  deadLetter: { name: `${name}-dead-letters`, maxReceiveCount: 5 },
}));

/** DynamoDB, S3 and SQS, each embedded unless the environment names another endpoint. */
export interface Services {
  /** Variables for the service's settings and for the SDK clients. */
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

type Environment = Record<string, string | undefined>;

/** Starts what the environment does not bring along, on the data folder. Throws StartError. */
export async function startServices(given: Environment, folder: string, log: Log): Promise<Services> {
  const environment: Record<string, string> = {
    TABLE_NAME: given.TABLE_NAME || "coldforge",
    BUCKET_NAME: given.BUCKET_NAME || "coldforge",
    SECRET_KEY: given.SECRET_KEY || (await keptSecret(join(folder, "secret-key"))),
    AWS_REGION: given.AWS_REGION || "us-east-1",
    AWS_ACCESS_KEY_ID: given.AWS_ACCESS_KEY_ID || "local",
    AWS_SECRET_ACCESS_KEY: given.AWS_SECRET_ACCESS_KEY || randomBytes(24).toString("base64url"),
  };
  const running: { stop(): Promise<void> }[] = [];
  try {
    if (!given.AWS_ENDPOINT_URL_DYNAMODB) running.push(await withDynamodb(environment, folder, log));
    if (!given.AWS_ENDPOINT_URL_S3) running.push(await withS3(environment, folder, log));
    if (!given.AWS_ENDPOINT_URL_SQS) running.push(await withSqs(environment, folder, log));
  } catch (error) {
    await Promise.all(running.map((one) => one.stop()));
    throw error;
  }
  return { environment, stop: async () => void (await Promise.all(running.map((one) => one.stop()))) };
}

async function withDynamodb(environment: Record<string, string>, folder: string, log: Log) {
  const dynamodb = await startDynamodb({ folder: join(folder, "dynamodb"), log });
  environment.AWS_ENDPOINT_URL_DYNAMODB = dynamodb.endpoint;
  const credentials = credentialsIn(environment);
  const client = new DynamoDBClient({
    endpoint: dynamodb.endpoint,
    region: environment.AWS_REGION ?? "",
    credentials,
  });
  await ensureTable(client, environment.TABLE_NAME ?? "");
  client.destroy();
  return dynamodb;
}

async function withS3(environment: Record<string, string>, folder: string, log: Log) {
  const bucket = environment.BUCKET_NAME ?? "";
  const s3 = await startS3({
    folder: join(folder, "objects"),
    bucket,
    credentials: credentialsIn(environment),
    log,
  });
  environment.AWS_ENDPOINT_URL_S3 = s3.endpoint;
  return s3;
}

async function withSqs(environment: Record<string, string>, folder: string, log: Log) {
  const sqs = await startSqs({ folder: join(folder, "queues"), queues, log });
  environment.AWS_ENDPOINT_URL_SQS = sqs.endpoint;
  environment.WEBHOOKS_QUEUE_URL = sqs.queueUrl("webhooks");
  environment.MIRRORS_QUEUE_URL = sqs.queueUrl("mirrors");
  environment.REPOSITORY_EVENTS_QUEUE_URL = sqs.queueUrl("repository-events");
  return sqs;
}

const credentialsIn = (environment: Record<string, string>) => ({
  accessKeyId: environment.AWS_ACCESS_KEY_ID ?? "",
  secretAccessKey: environment.AWS_SECRET_ACCESS_KEY ?? "",
});

/** The key in the data folder that opens what is sealed there; made at the first start. */
async function keptSecret(path: string): Promise<string> {
  try {
    return (await readFile(path, "utf8")).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    const secret = randomBytes(32).toString("base64");
    const file = await open(path, "wx", 0o600);
    await file.writeFile(`${secret}\n`);
    await file.sync();
    await file.close();
    await syncFolder(dirname(path));
    return secret;
  }
}
