import { randomBytes } from "node:crypto";
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { S3Client } from "@aws-sdk/client-s3";
import type { SQSClient } from "@aws-sdk/client-sqs";
import { createBlobs } from "#core/blobs";
import { type Config, readConfig } from "#core/config";
import { createForge, type Forge } from "#core/forge";
import { createLog } from "#core/log";
import { createQueues } from "#core/queues";
import { createTable, type TableOptions } from "#core/table";
import { openWire } from "#core/table/wire";
import { ensureTable } from "#infra/local/dynamodb";
import { type FakeClock, fakeClock } from "./clock.ts";
import { createFaults, type Faults, type FaultyServices, type Sender, type Service } from "./faults.ts";
import { countMeasured } from "./measured.ts";
import { startQueues, type TestQueues } from "./queues.ts";
import { requireEntries } from "./simulate/entry-versions.ts";
import { requirePossibleRange } from "./simulate/key-ranges.ts";
import { createSimulation, type Simulation, type SimulationOptions } from "./simulate/simulate.ts";
import { forgetTable, tableClient } from "./stand-ins/engines.ts";
import { inThisProcess, type OwnStandIns, type StandIns, startStandIns } from "./stand-ins/stand-ins.ts";
import { endlessRates } from "./suite/rates.ts";

/** A forge on the stand-ins, with a table and queues of its own, a shared bucket, and a clock that the test moves. */
export interface TestForge {
  readonly forge: Forge;
  readonly clock: FakeClock;
  /** Faults of the three services, none at first. */
  readonly faults: Faults;
  /** What was logged so far, as objects. */
  readonly logged: Record<string, unknown>[];
  readonly queues: TestQueues;
  readonly standIns: StandIns;
  /**
   * The client behind the forge's table, without simulation and faults: for looking, not for verbs. All forges share
   * it.
   */
  readonly direct: DynamoDBClient;
  /** Lets the lagging index catch up. */
  settle(): void;
  stop(): Promise<void>;
}

export interface TestForgeOptions {
  /** Settings by their environment variable. */
  readonly settings?: Readonly<Record<string, string>>;
  /** What AWS does and the stand-in does not; `false` switches all of it off (for benchmarks). */
  readonly simulation?: SimulationOptions | false;
  /** How long the table retries; when absent for longer than the 8 s of production, as machines of tests are slow. */
  readonly retryBudgetMs?: number;
  /** How S3 and SQS start; in this process when absent. The first forge of several at the same time decides. */
  readonly standIns?: OwnStandIns;
}

let running: { standIns: Promise<StandIns>; users: number } | undefined;

/** The stand-ins of this process: started for the first user, stopped with the last. A start that fails is not kept. */
function shareStandIns(own?: OwnStandIns): { standIns: Promise<StandIns>; leave(): Promise<void> } {
  running ??= { standIns: startStandIns(own), users: 0 };
  const shared = running;
  shared.users += 1;
  const forget = () => {
    if (running === shared) running = undefined;
  };
  shared.standIns.catch(forget);
  return {
    standIns: shared.standIns,
    async leave() {
      shared.users -= 1;
      if (shared.users > 0) return;
      forget();
      await (await shared.standIns).stop();
    },
  };
}

/** For `beforeAll` of files that make a forge per test: keeps the stand-ins running in between; the answer lets go. */
export async function holdStandIns(): Promise<() => Promise<void>> {
  const { standIns, leave } = shareStandIns();
  await standIns;
  return leave;
}

/** Makes a forge. Stop it when the test (or the file) is over. */
export async function makeForge(options: TestForgeOptions = {}): Promise<TestForge> {
  const { standIns: starting, leave } = shareStandIns(options.standIns);
  const standIns = await starting;
  const tableName = `forge-${randomBytes(6).toString("hex")}`;
  const direct = tableClient(standIns.dynamodbEndpoint);
  const [queues] = await Promise.all([
    startQueues(standIns.credentials, options.standIns ?? inThisProcess),
    ensureTable(direct, tableName),
  ]);
  const faults = createFaults();
  const simulation =
    options.simulation === false
      ? undefined
      : createSimulation(openWire(direct, true), tableName, options.simulation);
  const config = configFor(tableName, standIns, queues, options.settings);
  const stores = openStores({
    config,
    standIns,
    queues,
    faults,
    simulation,
    retryBudgetMs: options.retryBudgetMs ?? patientMs,
  });
  const clock = fakeClock();
  const logged: Record<string, unknown>[] = [];
  const log = createLog((line) => logged.push(JSON.parse(line) as Record<string, unknown>), "debug");
  return {
    forge: createForge(config, { ...stores.stores, clock, log }),
    clock,
    faults,
    logged,
    queues,
    standIns,
    direct,
    settle: () => simulation?.settle(),
    async stop() {
      stores.close();
      await forgetTable(direct, tableName);
      await queues.stop();
      await leave();
    },
  };
}

/** What meets others, or faults that pass, gets through in the end however busy the machine is. */
const patientMs = 60_000;

/** What the tests make thousands of passwords with: at the least that may be set each takes 8 ms. */
const passwordHashCost = 4;

function configFor(
  tableName: string,
  standIns: StandIns,
  queues: TestQueues,
  settings: TestForgeOptions["settings"],
): Config {
  const config = readConfig({
    TABLE_NAME: tableName,
    BUCKET_NAME: standIns.bucket,
    WEBHOOKS_QUEUE_URL: queues.urls.webhooks,
    MIRRORS_QUEUE_URL: queues.urls.mirrors,
    REPOSITORY_EVENTS_QUEUE_URL: queues.urls["repository-events"],
    SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
    ...endlessRates,
    ...settings,
  });
  return { ...config, passwordHashCost };
}

interface Stores {
  config: Config;
  standIns: StandIns;
  queues: TestQueues;
  faults: FaultyServices;
  simulation: Simulation | undefined;
  retryBudgetMs: number;
}

/** The three stores, each over a client whose requests go through the faults. */
function openStores({ config, standIns, queues, faults, simulation, retryBudgetMs }: Stores) {
  const s3 = new S3Client({
    endpoint: standIns.s3Endpoint,
    region: standIns.region,
    credentials: standIns.credentials,
    forcePathStyle: true,
    maxAttempts: 1,
  });
  const sqs = queues.client();
  passThrough(s3, "s3", faults);
  passThrough(sqs, "sqs", faults);
  return {
    stores: {
      table: createTable({
        client: tableClient(standIns.dynamodbEndpoint),
        name: config.tableName,
        through: throughFaults(faults, simulation),
        count: countMeasured,
        retryBudgetMs,
      }),
      blobs: createBlobs({ bucket: config.bucketName, client: async () => s3, count: countMeasured }),
      queues: createQueues({ config, client: async () => sqs, count: countMeasured }),
    },
    close() {
      for (const client of [s3, sqs]) client.destroy();
    },
  };
}

/** Leads every request to the table through the faults and, where given, the simulation. */
const throughFaults =
  (faults: FaultyServices, simulation: Simulation | undefined): NonNullable<TableOptions["through"]> =>
  (wire) => ({
    async send(operation, members) {
      requireEntries(operation, members);
      requirePossibleRange(operation, members);
      const send: Sender = async (input) => ({ output: await wire.send(operation, input) });
      const simulated: Sender =
        simulation === undefined ? send : (input) => simulation.pass(operation, input, send);
      return (await faults.pass("dynamodb", operation, members, simulated)).output;
    },
  });

/** Leads every request of a client through the faults. */
function passThrough(client: S3Client | SQSClient, service: Service, faults: FaultyServices): void {
  const { middlewareStack } = client as Pick<S3Client, "middlewareStack">;
  middlewareStack.add(
    (next, context) => async (args) => {
      const operation = (context.commandName ?? "").replace(/Command$/, "");
      const send: Sender = (input) => next({ ...args, input: input as typeof args.input });
      return (await faults.pass(service, operation, args.input, send)) as Awaited<ReturnType<typeof next>>;
    },
    { step: "initialize", name: "faults" },
  );
}
