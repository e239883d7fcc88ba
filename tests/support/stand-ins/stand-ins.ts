import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog } from "#core/log";
import { startDynamodb } from "#infra/local/dynamodb";
import { startS3 } from "#infra/local/s3/s3";
import { startSqs } from "#infra/local/sqs/sqs";
import { objectEngine, queueEngine, tableEngine, testCredentials } from "./engines.ts";

/** The three stand-ins, running on a temporary folder of their own. */
export interface StandIns {
  dynamodbEndpoint: string;
  s3Endpoint: string;
  /** The only bucket; clients address it path-style. */
  bucket: string;
  sqsEndpoint: string;
  /** The service's queues by name (visibility timeout 30 s), and their dead-letter queues (after 3 receives). */
  queueUrls: Readonly<Record<StandInQueue, string>>;
  /** Region and credentials that clients have to use. */
  region: string;
  credentials: { accessKeyId: string; secretAccessKey: string };
  /** Stops all and removes the folder. */
  stop(): Promise<void>;
}

const queueNames = ["webhooks", "mirrors", "repository-events"] as const;
/** The queues there are. */
export type StandInQueue = (typeof queueNames)[number] | `${(typeof queueNames)[number]}-dead-letters`;

const quiet = createLog(() => undefined);

/** How the stand-ins that are our own code start: in this process, or elsewhere where their work must not be counted. */
export interface OwnStandIns {
  readonly startS3: typeof startS3;
  readonly startSqs: typeof startSqs;
}

/** They run in this process and wait for no disk, unless the environment names other engines. */
export const inThisProcess: OwnStandIns = {
  startS3: objectEngine((options) => startS3({ ...options, isSynced: false })),
  startSqs: queueEngine((options) => startSqs({ ...options, isInMemory: true })),
};

async function startTables() {
  const folder = await mkdtemp(join(tmpdir(), "coldforge-tables-"));
  const started = await startDynamodb({ folder, log: quiet, isInMemory: true });
  await rm(folder, { recursive: true }); // it lives in memory, and this process holds it
  return started;
}

let tables: ReturnType<typeof startTables> | undefined;

/** One stand-in for the tables of all files that a worker of the tests runs: it ends with the worker. */
async function keptTables() {
  tables ??= startTables();
  const { endpoint } = await tables.catch((error: unknown) => {
    tables = undefined;
    throw error;
  });
  return { endpoint, stop: async () => undefined };
}

/** Starts the stand-ins, each on its own loopback address; S3 accepts requests signed with the credentials alone. */
export async function startStandIns(own = inThisProcess): Promise<StandIns> {
  const folder = await mkdtemp(join(tmpdir(), "coldforge-stand-ins-"));
  const credentials = testCredentials;
  const bucket = "forge";
  const queues = queueNames.map((name) => ({
    name,
    visibilityTimeoutSeconds: 30,
    deadLetter: { name: `${name}-dead-letters`, maxReceiveCount: 3 },
  }));
  const starting = [
    tableEngine(process.env.VITEST === undefined ? startTables : keptTables)(),
    own.startS3({ folder: join(folder, "objects"), bucket, credentials, log: quiet }),
    own.startSqs({ folder: join(folder, "queues"), queues, log: quiet }),
  ] as const;
  const stop = async () => {
    const started = await Promise.allSettled(starting);
    for (const one of started) if (one.status === "fulfilled") await one.value.stop();
    await rm(folder, { recursive: true, force: true });
  };
  const [dynamodb, s3, sqs] = await Promise.all(starting).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  const names = queueNames.flatMap((name) => [name, `${name}-dead-letters` as const]);
  return {
    dynamodbEndpoint: dynamodb.endpoint,
    s3Endpoint: s3.endpoint,
    bucket,
    sqsEndpoint: sqs.endpoint,
    queueUrls: Object.fromEntries(names.map((name) => [name, sqs.queueUrl(name)])) as StandIns["queueUrls"],
    region: "us-east-1",
    credentials,
    stop,
  };
}
