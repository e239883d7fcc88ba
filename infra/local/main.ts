import { SettingError } from "#core/config";
import { adminUsage, runAdmin } from "./admin/admin.ts";
import { serve } from "./serve.ts";
import { describeSettings } from "./settings.ts";
import { StartError } from "./start-error.ts";

const usage = `npm start            serves the API and git on this machine; settings come from the environment
npm run config       shows each setting with its value, where it comes from, its default and its meaning
npm run admin        makes accounts and tokens, sets passwords, handles dead letters: see npm run admin -- --help
`;

/** Runs a command of the one-machine mode: `serve` (the default), `config` or `admin`. */
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
    process.stdout.write(command === "admin" ? adminUsage() : usage);
    return;
  }
  if (command === "admin") {
    process.stdout.write(`${await runAdmin(rest, process.env)}\n`);
    process.exit(0); // keep-alive connections of the clients would hold the process
  }
  if (command === "config" && rest.length === 0) process.stdout.write(`${describeSettings(process.env)}\n`);
  else if (command === "serve" && rest.length === 0) await serve(process.env);
  else {
    const extra =
      rest.length > 0 ? `${command} takes no argument ${rest[0]}` : `there is no command ${command}`;
    throw new StartError(`${extra}. Settings are environment variables, such as PORT=8080 npm start.`);
  }
}
