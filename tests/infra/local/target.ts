import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { S3Client } from "@aws-sdk/client-s3";
import { SQSClient } from "@aws-sdk/client-sqs";
import { ensureTable } from "#infra/local/dynamodb";
import { type StandIns, startStandIns } from "#tests/support/stand-ins/stand-ins";

/**
 * What the conformance tests run against. The stand-ins, unless the environment says otherwise:
 *
 *   CONFORMANCE_TABLE      a DynamoDB table with the keys and the index that `ensureTable` gives it
 *   CONFORMANCE_BUCKET     an S3 bucket
 *   CONFORMANCE_QUEUE_URL  an SQS queue with a visibility timeout of 30 s and CONFORMANCE_DEAD_LETTER_QUEUE_URL as
 *                          the queue that a message goes to after 3 receives; both empty
 *
 * Each that is set is reached with the SDK's own settings (AWS_REGION, AWS_PROFILE, AWS_ENDPOINT_URL_S3 …), so the
 * same tests run against AWS or any other stand-in. They leave nothing behind.
 */
export interface ConformanceTarget {
  dynamodb: DynamoDBClient;
  table: string;
  s3: S3Client;
  bucket: string;
  sqs: SQSClient;
  queueUrl: string;
  deadLetterQueueUrl: string;
  stop(): Promise<void>;
}

const { CONFORMANCE_TABLE, CONFORMANCE_BUCKET, CONFORMANCE_QUEUE_URL, CONFORMANCE_DEAD_LETTER_QUEUE_URL } =
  process.env;

/** Connects to what the environment names and to the stand-ins for the rest. */
export async function connectTarget(): Promise<ConformanceTarget> {
  const standIns = await startStandIns();
  const local = (endpoint: string) => ({
    endpoint,
    region: standIns.region,
    credentials: standIns.credentials,
  });
  const dynamodb = new DynamoDBClient(CONFORMANCE_TABLE ? {} : local(standIns.dynamodbEndpoint));
  const table = CONFORMANCE_TABLE || "conformance";
  if (!CONFORMANCE_TABLE) await ensureTable(dynamodb, table);
  const s3 = new S3Client(
    CONFORMANCE_BUCKET
      ? { forcePathStyle: process.env.AWS_ENDPOINT_URL_S3 !== undefined }
      : { ...local(standIns.s3Endpoint), forcePathStyle: true },
  );
  const sqs = new SQSClient(CONFORMANCE_QUEUE_URL ? {} : local(standIns.sqsEndpoint));
  return {
    dynamodb,
    table,
    s3,
    bucket: CONFORMANCE_BUCKET || standIns.bucket,
    sqs,
    queueUrl: CONFORMANCE_QUEUE_URL || standIns.queueUrls.webhooks,
    deadLetterQueueUrl: CONFORMANCE_DEAD_LETTER_QUEUE_URL || standIns.queueUrls["webhooks-dead-letters"],
    stop: () => stop(standIns, [dynamodb, s3, sqs]),
  };
}

async function stop(standIns: StandIns, clients: readonly { destroy(): void }[]): Promise<void> {
  for (const client of clients) client.destroy();
  await standIns.stop();
}
