import { availableParallelism } from "node:os";
import { readConfig } from "#core/config";
import { createForge, type Forge } from "#core/forge";
import { useIngestWorkers } from "#core/git/pack/ingest-pool";
import { createLog, type Log } from "#core/log";
import { ensureAdministrator } from "./administrator.ts";
import { openDataFolder } from "./data-folder.ts";
import { startExpiry } from "./expiry.ts";
import { listen } from "./listen.ts";
import { startServices } from "./services.ts";
import { readLauncherConfig } from "./settings.ts";
import { createSite } from "./site.ts";
import { startWorkers } from "./workers.ts";

type Environment = Record<string, string | undefined>;

/** Something that is running and can be ended; ended in the reverse order of starting. */
interface Running {
  stop(): Promise<void> | void;
}

/**
 * Starts the whole service on this machine and returns once it is ready; it ends on SIGTERM or SIGINT.
 * Throws StartError or SettingError, after ending what had been started.
 */
export async function serve(environment: Environment): Promise<void> {
  process.umask(0o077);
  const launcher = readLauncherConfig(environment);
  const preliminary = readConfig({ ...environment, ROOT_URL: launcher.rootUrl });
  const log = createLog((line) => process.stderr.write(`${line}\n`), preliminary.logLevel);
  const running: Running[] = [];
  try {
    const folder = openDataFolder(launcher.dataFolder);
    running.push({ stop: () => folder.release() });
    const services = await startServices(environment, folder.path, log);
    running.push(services);
    Object.assign(process.env, services.environment);
    const config = readConfig({ ...environment, ...services.environment, ROOT_URL: launcher.rootUrl });
    const forge = createForge(config, { log });
    await useIngestWorkers({
      script: new URL("./ingest-worker.mjs", import.meta.url),
      threads: availableParallelism(),
    });
    running.push({ stop: () => useIngestWorkers(undefined) });
    await announceAdministrator(forge, launcher);
    const server = await listen(createSite(forge, { temporaryFolder: folder.temporaryFolder }), launcher);
    running.push(startWorkers(forge), startExpiry(forge), server);
    process.stdout.write(`Coldforge is ready at ${launcher.rootUrl} (data in ${folder.path})\n`);
  } catch (error) {
    await stopAll(running);
    throw error;
  }
  stopOnSignal(running, log);
}

async function announceAdministrator(forge: Forge, launcher: Parameters<typeof ensureAdministrator>[1]) {
  const made = await ensureAdministrator(forge, launcher);
  if (made === undefined && launcher.adminPassword !== "") {
    process.stdout.write("There is an administrator already: ADMIN_USER and ADMIN_PASSWORD are not used.\n");
  }
  if (made?.isPasswordMadeUp !== true) return;
  process.stdout.write(
    `The first administrator is ${made.name} with the password ${made.password} (shown this once)\n`,
  );
}

async function stopAll(running: readonly Running[]): Promise<void> {
  for (const one of [...running].reverse()) await one.stop();
}

function stopOnSignal(running: readonly Running[], log: Log): void {
  let isStopping = false;
  const stop = (signal: NodeJS.Signals) => {
    if (isStopping) process.exit(1);
    isStopping = true;
    log.info("serve:stopping", { signal });
    stopAll(running).then(
      () => process.exit(0),
      (error: unknown) => {
        log.error("serve:stop-failed", { error });
        process.exit(1);
      },
    );
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
}
