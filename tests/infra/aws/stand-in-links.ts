import { randomBytes } from "node:crypto";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { S3Client } from "@aws-sdk/client-s3";
import { ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { createBlobs } from "#core/blobs";
import { readConfig } from "#core/config";
import type { QueueName } from "#core/events/queue-message";
import { createForge, type Forge } from "#core/forge";
import { hookKeysOf } from "#core/hook/hook-keys";
import { createLog } from "#core/log";
import { createTable } from "#core/table";
import { linkedResources } from "#functions/resources";
import { ensureTable } from "#infra/local/dynamodb";
import { forgetTable } from "#tests/support/stand-ins/engines";
import { startStandIns } from "#tests/support/stand-ins/stand-ins";
import type { DeployedFunction } from "./deployed-shape.ts";

/** The three services as a deployed function finds them: linked resources, and endpoints of the stand-ins. */
export interface LinkedStandIns {
  /** A forge of this process on the same table, to prepare and to look. */
  readonly forge: Forge;
  /** The function with its links pointing at the stand-ins, and the variables of Lambda's own environment added. */
  link(deployed: DeployedFunction): DeployedFunction;
  /** What waits on a queue, parsed; it is not removed. */
  receive(queue: QueueName): Promise<unknown[]>;
  stop(): Promise<void>;
}

/** Starts the stand-ins and an empty table; `secrets` are the values of the two secrets. */
export async function startLinkedStandIns(secrets: {
  SecretKey: string;
  OriginSecret: string;
}): Promise<LinkedStandIns> {
  const standIns = await startStandIns();
  const { dynamodbEndpoint, s3Endpoint, sqsEndpoint, region, credentials, bucket, queueUrls } = standIns;
  const tableName = `linked-${randomBytes(6).toString("hex")}`;
  const client = new DynamoDBClient({ endpoint: dynamodbEndpoint, region, credentials });
  const sqs = new SQSClient({ endpoint: sqsEndpoint, region, credentials });
  await ensureTable(client, tableName);
  const values: Record<string, Record<string, string>> = {
    Table: { name: tableName },
    Objects: { name: bucket },
    Webhooks: { url: queueUrls.webhooks },
    Mirrors: { url: queueUrls.mirrors },
    RepositoryEvents: { url: queueUrls["repository-events"] },
    SecretKey: { value: secrets.SecretKey },
    HookKey: { value: hookKeysOf(secrets.SecretKey) },
    OriginSecret: { value: secrets.OriginSecret },
  };
  const settings = Object.entries(linkedResources).map(([setting, { resource, property }]) => [
    setting,
    values[resource]?.[property],
  ]);
  const config = readConfig(Object.fromEntries(settings) as Record<string, string>);
  const table = createTable({ client, name: tableName });
  const s3 = new S3Client({ endpoint: s3Endpoint, region, credentials, forcePathStyle: true });
  const blobs = createBlobs({ bucket, client: async () => s3 });
  return {
    forge: createForge(config, { table, blobs, log: createLog(() => undefined) }),
    link: (deployed) => ({
      ...deployed,
      links: Object.fromEntries(Object.keys(deployed.links).map((name) => [name, values[name] ?? {}])),
      environment: {
        ...deployed.environment,
        AWS_REGION: region,
        AWS_ACCESS_KEY_ID: credentials.accessKeyId,
        AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
        AWS_ENDPOINT_URL_DYNAMODB: dynamodbEndpoint,
        AWS_ENDPOINT_URL_S3: s3Endpoint,
        AWS_ENDPOINT_URL_SQS: sqsEndpoint,
      },
    }),
    async receive(queue) {
      const QueueUrl = queueUrls[queue];
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }),
      );
      return Messages.map(({ Body = "" }) => JSON.parse(Body) as unknown);
    },
    async stop() {
      for (const one of [sqs, s3]) one.destroy();
      await forgetTable(client, tableName);
      client.destroy();
      await standIns.stop();
    },
  };
}
