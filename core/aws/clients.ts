import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { S3Client } from "@aws-sdk/client-s3";
import type { SQSClient } from "@aws-sdk/client-sqs";
import { boundRequests, poolOf } from "./internal/bounded-client.ts";
import { clientOptions, tableClientOptions } from "./internal/client-options.ts";

/**
 * Connections to each service at a time. Small requests end within milliseconds; bodies of objects take longer, and
 * some may stand still. With as many of the service's own clients, all together stay below the 1,024 files that a
 * function may have open.
 */
const [smallAtATime, objectsAtATime] = [50, 200];
const connectionTimeout = 2_000;
/** For small requests; the SDK throws only when told so. A missing answer is one more reason to retry. */
const impatient = {
  ...poolOf(smallAtATime),
  connectionTimeout,
  requestTimeout: 5_000,
  throwOnRequestTimeout: true,
};
/** For objects, which may take long: only silence counts. */
const patient = { ...poolOf(objectsAtATime), connectionTimeout, socketTimeout: 30_000 };

/** The client of the table. */
export const openTableClient = (): DynamoDBClient =>
  boundRequests(new DynamoDBClient({ ...tableClientOptions, requestHandler: impatient }), smallAtATime);

/** The client of the objects, loaded when it is first needed. */
export async function openObjectClient(): Promise<S3Client> {
  const s3 = await import("@aws-sdk/client-s3");
  const forcePathStyle = process.env.AWS_ENDPOINT_URL_S3 !== undefined;
  return boundRequests(new s3.S3Client({ requestHandler: patient, forcePathStyle }), objectsAtATime);
}

/** The client of the queues, loaded when it is first needed. */
export async function openQueueClient(): Promise<SQSClient> {
  const sqs = await import("@aws-sdk/client-sqs");
  const client = new sqs.SQSClient({ ...clientOptions, requestHandler: impatient, maxAttempts: 2 });
  return boundRequests(client, smallAtATime);
}
