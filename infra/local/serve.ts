import { availableParallelism } from "node:os";
import { growHeapEvenly } from "#core/capacity/heap-growth";
import { boundedIntake } from "#core/capacity/intake";
import { useThreads } from "#core/compute/compute";
import { type Config, readConfig } from "#core/config";
import { isForgeError } from "#core/errors";
import { createForge, type Forge } from "#core/forge";
import { createLog, type Log } from "#core/log";
import { ensureAdministrator } from "#core/user/administrator";
import { openDataFolder } from "./data-folder.ts";
import { startExpiry } from "./expiry.ts";
import { requireFormat } from "./format-check.ts";
import { answerBounds } from "./http/held-answers.ts";
import { listen } from "./http/listen.ts";
import { createSite } from "./http/site.ts";
import { LoopWatch } from "./loop-watch.ts";
import { announceServices } from "./opened-forge.ts";
import { startServices } from "./services.ts";
import { isLoopback, type LauncherConfig, readLauncherConfig, rootUrlOf } from "./settings.ts";
import { StartError } from "./start-error.ts";
import { startWorkers } from "./workers.ts";

type Environment = Record<string, string | undefined>;

/** Something that runs and can be ended; ended in the reverse order of starting. */
interface Running {
  stop(): Promise<void> | void;
}

const stopWithinMs = 20_000;
/** The process that started us, read before it has time to end. */
const startedBy = process.ppid;

/**
 * Starts the whole service on this machine and returns once it is ready; it ends on SIGTERM or SIGINT. Throws
 * StartError or SettingError, after ending everything that it had started.
 */
export async function serve(environment: Environment): Promise<void> {
  process.umask(0o077);
  growHeapEvenly();
  const launcher = readLauncherConfig(environment);
  const { logLevel } = readConfig(environment);
  const log = createLog((line) => process.stderr.write(`${line}\n`), logLevel);
  const running: Running[] = [];
  try {
    const listener = await listen(launcher);
    running.push(listener);
    const folder = openDataFolder(launcher.dataFolder);
    running.push({ stop: () => folder.release() });
    process.env.TMPDIR = folder.temporaryFolder; // the next start removes the files that a kill leaves there
    const services = await startServices(environment, folder.path, log).catch((error: unknown) => {
      throw folder.explain(error);
    });
    running.push(services);
    const rootUrl = rootUrlOf(launcher, listener.port);
    Object.assign(process.env, services.environment); // for the SDK's clients
    const config = readConfig({ ...environment, ...services.environment, ROOT_URL: rootUrl });
    const intake = boundedIntake(config);
    const forge = createForge(config, { log }, intake.memory);
    await requireFormat(forge, folder.path);
    const script = new URL("./compute-thread.mjs", import.meta.url);
    await useThreads({ script, threads: Math.max(2, availableParallelism()) });
    running.push({ stop: () => useThreads(undefined) });
    await announceAdministrator(forge, launcher);
    announceServices(folder.temporaryFolder, services.environment);
    const watch = new LoopWatch(log);
    listener.serve(createSite(forge, intake, watch), answerBounds(intake, config));
    running.push(together([startWorkers(forge, watch), startExpiry(forge), listener]));
    stopOnSignal(running, log); // before the ready line: whoever waits for that may end us at once
    process.stdout.write(readyText(launcher, config, { port: listener.port, folder: folder.path }));
  } catch (error) {
    await stopAll(running);
    throw error;
  }
}

/** The first line is for scripts, the others for people. */
function readyText(
  launcher: LauncherConfig,
  { rootUrl, enableSwagger }: Config,
  { port, folder }: { port: number; folder: string },
): string {
  const lines = [
    `Coldforge is ready at ${rootUrl} (data in ${folder})`,
    `  API   ${rootUrl}/api/v1${enableSwagger ? `, described at ${rootUrl}/api/v1/openapi.json` : ""}`,
    `  git   ${rootUrl}/<owner>/<repository>.git`,
  ];
  if (launcher.rootUrl !== "") lines.push(`  listening on ${launcher.host}, port ${port}`);
  else if (isLoopback(launcher.host)) {
    lines.push("  Only this machine reaches it. To serve others see https and proxies in the README.");
  }
  return `${lines.join("\n")}\n`;
}

async function announceAdministrator(forge: Forge, launcher: LauncherConfig): Promise<void> {
  const { adminUser: name, adminPassword: password, adminEmail: email } = launcher;
  const made = await ensureAdministrator(forge, { name, password, email }).catch((error: unknown) => {
    if (!isForgeError(error, "invalid")) throw error;
    const message = `The first administrator can't be made (ADMIN_USER, ADMIN_PASSWORD, ADMIN_EMAIL): ${error.message}`;
    throw new StartError(message, { cause: error });
  });
  if (made === undefined && launcher.adminPassword !== "") {
    process.stdout.write(
      "There is an administrator already: ADMIN_USER and ADMIN_PASSWORD are not used. " +
        "`npm run admin -- user change-password --username <name>` sets a password anew.\n",
    );
  }
  if (made?.isPasswordMadeUp !== true) return;
  process.stdout.write(
    `The first administrator is ${made.name} with the password ${made.password} (shown this once)\n`,
  );
}

async function stopAll(running: readonly Running[]): Promise<void> {
  for (const one of [...running].reverse()) await one.stop();
}

/** Several that end side by side, so that running work in one doesn't delay the end of another. */
const together = (all: readonly Running[]): Running => ({
  stop: async () => void (await Promise.all(all.map((one) => one.stop()))),
});

/** The first signal lets running work end, within a bound; the second ends at once. */
function stopOnSignal(running: readonly Running[], log: Log): void {
  let isStopping = false;
  const stop = (signal: NodeJS.Signals) => {
    if (isStopping) process.exit(1);
    isStopping = true;
    log.info("serve:stopping", { signal });
    setTimeout(() => {
      log.warn("serve:stop-overdue", { afterMs: stopWithinMs });
      process.exit(1);
    }, stopWithinMs).unref();
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
  stopWithNpm(() => stop("SIGTERM"));
}

/**
 * npm hands a SIGTERM only to the shell that it starts us in, which hands it to nobody: we stop when that shell is
 * gone, and so also when it went while we started.
 */
function stopWithNpm(stop: () => void): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const timer = setInterval(() => {
    if (process.ppid === startedBy) return;
    clearInterval(timer);
    stop();
  }, 500);
  timer.unref();
}
