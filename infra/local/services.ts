import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { defined } from "#core/defined";
import type { Log } from "#core/log";
import { secretKeyProblem } from "#core/secrets";
import { writeDurably } from "./durable-file.ts";
import { ensureTable, startDynamodb } from "./dynamodb.ts";
import { startS3 } from "./s3/s3.ts";
import { startSqs } from "./sqs/sqs.ts";
import { StartError } from "./start-error.ts";
import { checkStores, recordStores } from "./stores.ts";

/** How long a message stays hidden from other workers; renewed while one works on it. */
export const visibilityTimeoutSeconds = 60;

/** The queues of the service, as deployed, each with its number of tries before the dead letters. */
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

/** Starts the services that the environment does not name, on the data folder. Throws StartError. */
export async function startServices(given: Environment, folder: string, log: Log): Promise<Services> {
  const settings = {
    ...placesIn(given),
    TABLE_NAME: given.TABLE_NAME || "coldforge",
    BUCKET_NAME: given.BUCKET_NAME || "coldforge",
    SECRET_KEY: given.SECRET_KEY || (await keptSecret(join(folder, "secret-key"))),
    AWS_REGION: given.AWS_REGION || "us-east-1",
    AWS_ACCESS_KEY_ID: given.AWS_ACCESS_KEY_ID || "local",
    AWS_SECRET_ACCESS_KEY: given.AWS_SECRET_ACCESS_KEY || randomBytes(24).toString("base64url"),
    AWS_SESSION_TOKEN: given.AWS_SESSION_TOKEN || "",
  };
  checkStores(folder, settings);
  const environment: Record<string, string> = { ...settings };
  const running: { stop(): Promise<void> }[] = [];
  try {
    if (given.AWS_ENDPOINT_URL_DYNAMODB) await checkTable(given.AWS_ENDPOINT_URL_DYNAMODB, environment);
    else running.push(await withDynamodb(environment, folder, log));
    if (given.AWS_ENDPOINT_URL_S3) await checkBucket(given.AWS_ENDPOINT_URL_S3, environment);
    else running.push(await withS3(environment, folder, log));
    if (!given.AWS_ENDPOINT_URL_SQS) running.push(await withSqs(environment, folder, log));
    await recordStores(folder, settings);
  } catch (error) {
    await Promise.all(running.map((one) => one.stop()));
    throw error;
  }
  return { environment, stop: async () => void (await Promise.all(running.map((one) => one.stop()))) };
}

/** The places of the services that the environment names: operators beside the server reach them by this. */
function placesIn(given: Environment): Record<string, string> {
  const variables = [
    ...["AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL_SQS"],
    ...["WEBHOOKS_QUEUE_URL", "MIRRORS_QUEUE_URL", "REPOSITORY_EVENTS_QUEUE_URL"],
  ];
  return Object.fromEntries(variables.flatMap((name) => (given[name] ? [[name, given[name]]] : [])));
}

async function withDynamodb(environment: Record<string, string>, folder: string, log: Log) {
  const dynamodb = await startDynamodb({ folder: join(folder, "dynamodb"), log });
  environment.AWS_ENDPOINT_URL_DYNAMODB = dynamodb.endpoint;
  await makeTable(dynamodb.endpoint, environment);
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

/** A client for the checks of the start, which gives up soon. */
const clientOptions = (endpoint: string, environment: Record<string, string>) => ({
  endpoint,
  region: environment.AWS_REGION ?? "",
  credentials: credentialsIn(environment),
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 2_000, requestTimeout: 10_000, throwOnRequestTimeout: true },
});

async function makeTable(endpoint: string, environment: Record<string, string>): Promise<void> {
  const client = new DynamoDBClient(clientOptions(endpoint, environment));
  try {
    await ensureTable(client, environment.TABLE_NAME ?? "");
  } finally {
    client.destroy();
  }
}

/** Checks that a DynamoDB that the operator named can be used; creates the table when it is missing. */
async function checkTable(endpoint: string, environment: Record<string, string>): Promise<void> {
  await makeTable(endpoint, environment).catch((error: unknown) => {
    throw unusable(
      "AWS_ENDPOINT_URL_DYNAMODB",
      endpoint,
      `the table ${environment.TABLE_NAME} (TABLE_NAME)`,
      error,
    );
  });
}

/** Checks that an S3 that the operator named has the bucket; names of buckets are global, so none is created. */
async function checkBucket(endpoint: string, environment: Record<string, string>): Promise<void> {
  const { HeadBucketCommand, S3Client } = await import("@aws-sdk/client-s3"); // most starts need none
  const client = new S3Client({ ...clientOptions(endpoint, environment), forcePathStyle: true });
  try {
    await client.send(new HeadBucketCommand({ Bucket: environment.BUCKET_NAME }));
  } catch (error) {
    throw unusable(
      "AWS_ENDPOINT_URL_S3",
      endpoint,
      `the bucket ${environment.BUCKET_NAME} (BUCKET_NAME)`,
      error,
    );
  } finally {
    client.destroy();
  }
}

function unusable(variable: string, endpoint: string, what: string, error: unknown): StartError {
  const { name, message, code = "", errors } = error as Error & { code?: string; errors?: Error[] };
  const reason = [code || name, message || errors?.[0]?.message].filter(Boolean).join(": ");
  return new StartError(
    `setting ${variable}: can't use ${what} at ${endpoint}: ${reason}. ` +
      "Is the service running there, does the name exist, and do AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (with AWS_SESSION_TOKEN where they are temporary) open it?",
    { cause: error },
  );
}

const credentialsIn = (environment: Record<string, string>) => ({
  accessKeyId: environment.AWS_ACCESS_KEY_ID ?? "",
  secretAccessKey: environment.AWS_SECRET_ACCESS_KEY ?? "",
  ...defined({ sessionToken: environment.AWS_SESSION_TOKEN || undefined }),
});

/** The key in the data folder that opens sealed values there; made at the first start. Throws StartError. */
async function keptSecret(path: string): Promise<string> {
  const kept = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (kept === undefined) return makeSecret(path);
  const problem = secretKeyProblem(kept.trim());
  if (problem !== undefined) {
    throw new StartError(
      `${path} is damaged: ${problem}. Put it back from a backup; what it sealed opens with it alone.`,
    );
  }
  return kept.trim();
}

async function makeSecret(path: string): Promise<string> {
  const secret = randomBytes(32).toString("base64");
  await writeDurably(path, `${secret}\n`);
  return secret;
}
