import { randomBytes } from "node:crypto";
import { DeleteTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { BucketAlreadyOwnedByYou, CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { tableClientOptions } from "#core/aws/internal/client-options";
import type { startDynamodb } from "#infra/local/dynamodb";
import type { startS3 } from "#infra/local/s3/s3";
import type { startSqs } from "#infra/local/sqs/sqs";
import { shortWayTo } from "./short-way.ts";

/**
 * Engines that the tests run on instead of the stand-ins, by their endpoints (`npm run test:engines` starts some):
 *
 *   TEST_DYNAMODB_ENDPOINT   each test forge makes a table of its own there, and removes it
 *   TEST_S3_ENDPOINT         all share the bucket `forge` there
 *   TEST_SQS_ENDPOINT        each test forge makes queues of its own there, and removes them
 */
const { TEST_DYNAMODB_ENDPOINT, TEST_S3_ENDPOINT, TEST_SQS_ENDPOINT } = process.env;

export const testCredentials = { accessKeyId: "local", secretAccessKey: "local-secret" };
const client = { region: "us-east-1", credentials: testCredentials };
const nothing = async () => undefined;

/** The engine for the table that the environment names, else the stand-in. */
export const tableEngine = (
  standIn: () => ReturnType<typeof startDynamodb>,
): (() => ReturnType<typeof startDynamodb>) =>
  TEST_DYNAMODB_ENDPOINT ? async () => ({ endpoint: TEST_DYNAMODB_ENDPOINT, stop: nothing }) : standIn;

/**
 * The client of an endpoint's tables: one for all test forges of this process, each of which would otherwise connect
 * anew and make its first request of each operation by all of the SDK. Requests take a short way to the stand-in, the
 * SDK's own elsewhere and in benchmarks.
 */
export function tableClient(endpoint: string): DynamoDBClient {
  const way = TEST_DYNAMODB_ENDPOINT || process.env.VITEST === undefined ? {} : shortWayTo(endpoint);
  const made =
    tableClients.get(endpoint) ?? new DynamoDBClient({ ...client, ...tableClientOptions, endpoint, ...way });
  tableClients.set(endpoint, made);
  return made;
}
const tableClients = new Map<string, DynamoDBClient>();

/** How a client's requests get to the queues, alike. */
export const wayToQueues = (endpoint: string) =>
  TEST_SQS_ENDPOINT || process.env.VITEST === undefined ? {} : shortWayTo(endpoint);

/** The engine outlives the test forge. */
export const forgetTable = async (client: DynamoDBClient, TableName: string): Promise<void> =>
  void (await client.send(new DeleteTableCommand({ TableName })));

/** The engine for objects that the environment names, else the stand-in. */
export const objectEngine = (standIn: typeof startS3): typeof startS3 =>
  TEST_S3_ENDPOINT ? async ({ bucket }) => bucketAt(TEST_S3_ENDPOINT, bucket) : standIn;

async function bucketAt(endpoint: string, Bucket: string) {
  const s3 = new S3Client({ ...client, endpoint, forcePathStyle: true });
  await s3.send(new CreateBucketCommand({ Bucket })).catch((error: unknown) => {
    if (!(error instanceof BucketAlreadyOwnedByYou)) throw error;
  });
  s3.destroy();
  return { endpoint, stop: nothing };
}

/** The engine for queues that the environment names, else the stand-in. */
export const queueEngine = (standIn: typeof startSqs): typeof startSqs =>
  TEST_SQS_ENDPOINT ? ({ queues }) => queuesAt(TEST_SQS_ENDPOINT, queues) : standIn;

type QueueSettings = Parameters<typeof startSqs>[0]["queues"][number];

/** The queues under names of their own. */
async function queuesAt(endpoint: string, queues: readonly QueueSettings[]): ReturnType<typeof startSqs> {
  const sqs = new SQSClient({ ...client, endpoint });
  const prefix = `t${randomBytes(4).toString("hex")}-`;
  const made = new Map<string, { url: string; arn: string }>();
  const make = async (name: string, Attributes: Record<string, string>) => {
    const { QueueUrl: url = "" } = await sqs.send(
      new CreateQueueCommand({ QueueName: prefix + name, Attributes }),
    );
    const command = new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ["QueueArn"] });
    const arn = (await sqs.send(command)).Attributes?.QueueArn ?? "";
    made.set(name, { url, arn });
    return arn;
  };
  for (const { name, visibilityTimeoutSeconds, deadLetter } of queues) {
    const settings: Record<string, string> = { VisibilityTimeout: String(visibilityTimeoutSeconds) };
    if (deadLetter !== undefined) {
      const deadLetterTargetArn = await make(deadLetter.name, {});
      const { maxReceiveCount } = deadLetter;
      settings.RedrivePolicy = JSON.stringify({ deadLetterTargetArn, maxReceiveCount });
    }
    await make(name, settings);
  }
  const one = (name: string) => {
    const found = made.get(name);
    if (found === undefined) throw new Error(`there is no queue ${name}`);
    return found;
  };
  return {
    endpoint,
    queueUrl: (name) => one(name).url,
    queueArn: (name) => one(name).arn,
    async stop() {
      for (const { url } of made.values()) await sqs.send(new DeleteQueueCommand({ QueueUrl: url }));
      made.clear();
      sqs.destroy();
    },
  };
}
