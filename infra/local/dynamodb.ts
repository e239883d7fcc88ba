import { mkdir, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import {
  CreateTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  ResourceInUseException,
  ResourceNotFoundException,
  UpdateTimeToLiveCommand,
} from "@aws-sdk/client-dynamodb";
import type { Log } from "#core/log";
import {
  type DynamodbProcess,
  endDynamodb,
  endLeftover,
  findDynamodbProgram,
  spawnDynamodb,
  waitUntilAnswering,
} from "./dynamodb-process.ts";
import { chooseLoopback } from "./loopback-address.ts";
import { StartError } from "./start-error.ts";

/** The options of the DynamoDB stand-in. `folder` is created; the database is one file in it. */
export interface DynamodbOptions {
  folder: string;
  log: Log;
  /** Keeps the database only in memory: for tests, which would wait for the disk. */
  isInMemory?: true;
  /** Called each time the program has died and answers again. */
  onRestart?: () => void;
  /** Chooses the address; called again when another process was faster to take the port. */
  chooseAddress?: typeof chooseLoopback;
}

/** A running DynamoDB stand-in. The endpoint stays the same when the program has to be started again. */
export interface Dynamodb {
  endpoint: string;
  /** Ends the program and waits for it. May be called twice. */
  stop(): Promise<void>;
}

const startTimeoutMs = 15_000;
const mostPorts = 10;
const stopGraceMs = 2_000;
const steadyMs = 10_000;
const longestPauseMs = 5_000;

/**
 * Starts the DynamoDB stand-in on a random loopback address and keeps it running: it is started again, with growing
 * pauses, when it dies. It ends with this process even when that is killed. Throws StartError.
 */
export async function startDynamodb(options: DynamodbOptions): Promise<Dynamodb> {
  const { folder, log, onRestart, isInMemory, chooseAddress = chooseLoopback } = options;
  const program = findDynamodbProgram();
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const databasePath = join(await realpath(folder), "table.sqlite");
  const pidFile = join(folder, "dynamodb.pid");
  await endLeftover(pidFile, databasePath);
  const storage = isInMemory === true ? [] : ["--db-path", databasePath];
  const { first, spawn, endpoint } = await startOnFreePort(chooseAddress, ({ host, port }) =>
    spawnDynamodb(program, ["serve", "--host", host, "--port", String(port), ...storage], pidFile),
  );
  const supervisor = supervise({ first, spawn, endpoint, log, onRestart: onRestart ?? (() => undefined) });
  return {
    endpoint,
    async stop() {
      await supervisor.stop();
      await rm(pidFile, { force: true });
    },
  };
}

interface Address {
  readonly host: string;
  readonly port: number;
}

/** The program takes its port a moment after it was found free: if another was faster, it gets the next one. */
async function startOnFreePort(
  chooseAddress: () => Promise<Address>,
  spawnAt: (at: Address) => DynamodbProcess,
) {
  for (let tries = 1; ; tries += 1) {
    const address = await chooseAddress();
    const endpoint = `http://${address.host}:${address.port}`;
    const spawn = () => spawnAt(address);
    const first = spawn();
    const isAnswering = await waitUntilAnswering(endpoint, first, startTimeoutMs).catch((error: unknown) => {
      first.child.kill("SIGKILL");
      throw error;
    });
    if (isAnswering) return { first, spawn, endpoint };
    const lastWords = await first.ended;
    if (tries === mostPorts || !/in use/i.test(lastWords)) {
      throw new StartError(`The DynamoDB stand-in (${findDynamodbProgram()}) ended at once: ${lastWords}`);
    }
  }
}

interface Supervision {
  first: DynamodbProcess;
  spawn(): DynamodbProcess;
  endpoint: string;
  log: Log;
  onRestart(): void;
}

function supervise({ first, spawn, endpoint, log, onRestart }: Supervision): { stop(): Promise<void> } {
  const stopping = new AbortController();
  let run = first;
  const watch = async () => {
    let pauseMs = 50;
    while (!stopping.signal.aborted) {
      const startedAt = Date.now();
      const lastWords = await run.ended;
      if (stopping.signal.aborted) return;
      pauseMs = Date.now() - startedAt > steadyMs ? 50 : Math.min(pauseMs * 2, longestPauseMs);
      log.error("dynamodb:died", { lastWords, restartInMs: pauseMs });
      await pause(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      run = spawn();
      const isAnswering = await waitUntilAnswering(endpoint, run, startTimeoutMs).catch((error: unknown) => {
        log.error("dynamodb:restart-failed", { error });
        run.child.kill("SIGKILL");
        return false;
      });
      if (!isAnswering) continue;
      log.info("dynamodb:restarted", { endpoint });
      onRestart();
    }
  };
  const watching = watch();
  return {
    async stop() {
      stopping.abort();
      await endDynamodb(run, stopGraceMs);
      await watching;
    },
  };
}

/**
 * Creates the single table when it is missing: keys `pk` and `sk`, index `actor` on `a` and `as` (keys only), on-demand
 * billing, expiry by `ttl` (a stand-in without expiry is accepted). Returns once the table is active.
 */
export async function ensureTable(client: DynamoDBClient, tableName: string): Promise<void> {
  if (!(await isTableActive(client, tableName))) {
    await createTable(client, tableName);
    while (!(await isTableActive(client, tableName))) await pause(200);
  }
  await enableExpiry(client, tableName);
}

async function isTableActive(client: DynamoDBClient, TableName: string): Promise<boolean> {
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    return Table?.TableStatus === "ACTIVE";
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return false;
    throw error;
  }
}

async function createTable(client: DynamoDBClient, TableName: string): Promise<void> {
  const text = (AttributeName: string) => ({ AttributeName, AttributeType: "S" as const });
  const keys = (hash: string, range: string) => [
    { AttributeName: hash, KeyType: "HASH" as const },
    { AttributeName: range, KeyType: "RANGE" as const },
  ];
  const command = new CreateTableCommand({
    TableName,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: [text("pk"), text("sk"), text("a"), text("as")],
    KeySchema: keys("pk", "sk"),
    GlobalSecondaryIndexes: [
      { IndexName: "actor", KeySchema: keys("a", "as"), Projection: { ProjectionType: "KEYS_ONLY" } },
    ],
  });
  try {
    await client.send(command);
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error; // another start was faster
  }
}

async function enableExpiry(client: DynamoDBClient, TableName: string): Promise<void> {
  try {
    const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
    const status = TimeToLiveDescription?.TimeToLiveStatus;
    if (status === "ENABLED" || status === "ENABLING") return;
    const TimeToLiveSpecification = { AttributeName: "ttl", Enabled: true };
    await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
  } catch (error) {
    if ((error as Error).name !== "UnknownOperationException") throw error;
  }
}
