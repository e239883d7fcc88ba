import { randomBytes } from "node:crypto";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { readConfig } from "#core/config";
import { createForge, type Forge } from "#core/forge";
import { createLog } from "#core/log";
import { createTable } from "#core/table";
import { ensureTable } from "#infra/local/dynamodb";
import { type FakeClock, fakeClock } from "./clock.ts";
import { createFaults, type Faults, type FaultyServices, type Sender, type Service } from "./faults.ts";
import { createSimulation, type Simulation, type SimulationOptions } from "./simulate.ts";
import { type StandIns, startStandIns } from "./stand-ins.ts";

/** A forge on the stand-ins, on a table of its own, with a clock that the test moves. */
export interface TestForge {
  readonly forge: Forge;
  readonly clock: FakeClock;
  /** Faults of the three services, none at first. */
  readonly faults: Faults;
  /** What was logged so far, as objects. */
  readonly logged: Record<string, unknown>[];
  /** The DynamoDB client behind the forge, without simulation and faults: for looking, not for verbs. */
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
  /** How long the table door retries; 8 s as in production when absent. */
  readonly retryBudgetMs?: number;
}

let running: { standIns: Promise<StandIns>; users: number } | undefined;

/** The stand-ins of this process: started for the first user, stopped with the last. */
function shareStandIns(): { standIns: Promise<StandIns>; leave(): Promise<void> } {
  running ??= { standIns: startStandIns(), users: 0 };
  const shared = running;
  shared.users += 1;
  return {
    standIns: shared.standIns,
    async leave() {
      shared.users -= 1;
      if (shared.users > 0) return;
      if (running === shared) running = undefined;
      await (await shared.standIns).stop();
    },
  };
}

/** Makes a forge. Stop it when the test (or the file) is over. */
export async function makeForge(options: TestForgeOptions = {}): Promise<TestForge> {
  const { standIns, leave } = shareStandIns();
  const running = await standIns;
  const tableName = `forge-${randomBytes(6).toString("hex")}`;
  const direct = new DynamoDBClient(clientOptions(running));
  await ensureTable(direct, tableName);
  const faults = createFaults();
  const logged: Record<string, unknown>[] = [];
  const clock = fakeClock();
  const simulation =
    options.simulation === false ? undefined : createSimulation(direct, tableName, options.simulation);
  const client = new DynamoDBClient({ ...clientOptions(running), maxAttempts: 1 });
  passThrough(client, "dynamodb", faults, simulation);
  const config = readConfig({
    TABLE_NAME: tableName,
    SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
    PASSWORD_HASH_COST: "10",
    ...options.settings,
  });
  const budget = options.retryBudgetMs === undefined ? {} : { retryBudgetMs: options.retryBudgetMs };
  const forge = createForge(config, {
    table: createTable({ client, name: tableName, ...budget }),
    clock,
    log: createLog((line) => logged.push(JSON.parse(line) as Record<string, unknown>), "debug"),
  });
  return {
    forge,
    clock,
    faults,
    logged,
    direct,
    settle: () => simulation?.settle(),
    async stop() {
      client.destroy();
      direct.destroy();
      await leave();
    },
  };
}

const clientOptions = ({ dynamodbEndpoint, region, credentials }: StandIns) => ({
  endpoint: dynamodbEndpoint,
  region,
  credentials,
});

/** Leads every request of a client through the faults and, where given, the simulation. */
function passThrough(
  client: Pick<DynamoDBClient, "middlewareStack">,
  service: Service,
  faults: FaultyServices,
  simulation?: Simulation,
): void {
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const operation = (context.commandName ?? "").replace(/Command$/, "");
      const send: Sender = (input) => next({ ...args, input: input as typeof args.input });
      const simulated: Sender =
        simulation === undefined ? send : (input) => simulation.pass(operation, input, send);
      return (await faults.pass(service, operation, args.input, simulated)) as Awaited<
        ReturnType<typeof next>
      >;
    },
    { step: "initialize", name: "simulate" },
  );
}
