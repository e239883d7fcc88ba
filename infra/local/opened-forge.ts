import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { readConfig } from "#core/config";
import { createForge, type Forge } from "#core/forge";
import { createLog } from "#core/log";
import { findHolder, openDataFolder } from "./data-folder.ts";
import { requireFormat } from "./format-check.ts";
import { startServices } from "./services.ts";
import type { LauncherConfig } from "./settings.ts";
import { StartError } from "./start-error.ts";
import { goesWithTable } from "./stores.ts";

type Environment = Record<string, string | undefined>;

/** In the folder of temporary files, which each start empties: how to reach a running server's services. */
const fileName = "services.json";

/** Records a server's services for `withForge`; readable by this user alone, like the data folder. */
export function announceServices(temporaryFolder: string, environment: Environment): void {
  writeFileSync(join(temporaryFolder, fileName), JSON.stringify(environment), { mode: 0o600 });
}

/** The facts that an operator's work gets beside the forge. */
interface Opened {
  /** Workers and the tick run somewhere. */
  readonly isServed: boolean;
}

/**
 * Runs an operator's work on the forge: the deployed one when the environment names a DynamoDB other than that of the
 * data folder, else that of the data folder, through the services of the server that runs on it, or through its own
 * while none does. Throws StartError.
 */
export async function withForge<T>(
  environment: Environment,
  launcher: LauncherConfig,
  work: (forge: Forge, opened: Opened) => Promise<T>,
): Promise<T> {
  const isDeployed =
    launcher.dynamodbEndpoint !== "" && !goesWithTable(resolve(launcher.dataFolder), environment);
  const run = async (forge: Forge, place: string, isServed: boolean) => {
    await requireFormat(forge, place);
    return work(forge, { isServed });
  };
  if (isDeployed) {
    const forge = open(environment, {});
    return run(forge, `the table ${forge.config.tableName}`, true);
  }
  const holder = findHolder(launcher.dataFolder);
  if (holder !== undefined) {
    const services = servicesOf(launcher.dataFolder, holder.pid);
    return run(open(environment, services), launcher.dataFolder, true);
  }
  if (!existsSync(launcher.dataFolder)) {
    throw new StartError(
      `There is no data folder ${resolve(launcher.dataFolder)}: set DATA_DIR, or start once.`,
    );
  }
  process.umask(0o077);
  const folder = openDataFolder(launcher.dataFolder);
  try {
    const services = await startServices(environment, folder.path, operatorLog).catch((error: unknown) => {
      throw folder.explain(error);
    });
    try {
      return await run(open(environment, services.environment), folder.path, false);
    } finally {
      await services.stop();
    }
  } finally {
    folder.release();
  }
}

/** An operator only sees the troubles inside. */
const operatorLog = createLog((line) => process.stderr.write(`${line}\n`), "error");

function open(environment: Environment, services: Environment): Forge {
  Object.assign(process.env, services); // for the SDK's clients
  return createForge(readConfig({ ...environment, ...services }), { log: operatorLog });
}

function servicesOf(dataFolder: string, pid: number): Record<string, string> {
  try {
    const text = readFileSync(join(dataFolder, "tmp", fileName), "utf8");
    return JSON.parse(text) as Record<string, string>;
  } catch (error) {
    throw new StartError(
      `The server that runs on ${dataFolder} (process ${pid}) is just starting or ending: try again in a moment.`,
      { cause: error },
    );
  }
}
