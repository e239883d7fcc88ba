import { SettingError } from "#core/config/setting";
import { serve } from "./serve.ts";
import { describeSettings } from "./settings.ts";
import { StartError } from "./start-error.ts";

const usage = `npm start            serves the API and git on this machine; settings come from the environment
npm run config       shows each setting with its value, where it comes from, its default and its meaning
npm run admin        makes accounts and tokens, sets passwords, handles dead letters: see npm run admin -- --help
npm run doctor       asks a running service at its public address whether its proxies let clients work
npm run check-data   looks for data that contradicts itself, and mends it: see npm run check-data -- --help
`;

/**
 * Runs a command of the one-machine mode: `serve` (the default), `config`, `admin`, `doctor` or `check-data`. A start
 * of the server loads no other command.
 */
export async function run(args: readonly string[]): Promise<void> {
  try {
    await perform(args);
  } catch (error) {
    if (!(error instanceof StartError) && !(error instanceof SettingError)) throw error;
    process.stderr.write(`coldforge: ${error.message}\n`);
    process.exit(1); // keep-alive connections of the clients would hold the process
  }
}

async function perform([command = "serve", ...rest]: readonly string[]): Promise<void> {
  if ([command, ...rest].some((word) => word === "--help" || word === "-h")) {
    process.stdout.write(await helpOf(command));
    return;
  }
  if (command === "doctor") {
    const { runDoctor } = await import("./doctor/doctor.ts");
    const isWell = await runDoctor(rest, process.env, (line) => process.stdout.write(`${line}\n`));
    process.exit(isWell ? 0 : 1);
  }
  if (command === "admin") {
    const { runAdmin } = await import("./admin/admin.ts");
    process.stdout.write(`${await runAdmin(rest, process.env)}\n`);
    process.exit(0); // keep-alive connections of the clients would hold the process
  }
  if (command === "check-data") {
    const { runCheckData } = await import("./check-data.ts");
    const code = await runCheckData(rest, process.env, (line) => process.stdout.write(`${line}\n`));
    process.exit(code); // keep-alive connections, as above
  }
  if (command === "config" && rest.length === 0) process.stdout.write(`${describeSettings(process.env)}\n`);
  else if (command === "serve" && rest.length === 0) await serve(process.env);
  else {
    const extra =
      rest.length > 0 ? `${command} takes no argument ${rest[0]}` : `there is no command ${command}`;
    throw new StartError(`${extra}. Settings are environment variables, such as PORT=8080 npm start.`);
  }
}

async function helpOf(command: string): Promise<string> {
  if (command === "admin") return (await import("./admin/admin.ts")).adminUsage();
  if (command === "doctor") return (await import("./doctor/doctor.ts")).doctorUsage;
  return command === "check-data" ? (await import("./check-data.ts")).checkDataUsage : usage;
}
