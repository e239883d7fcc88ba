import { SettingError } from "#core/config";
import { serve } from "./serve.ts";
import { describeSettings } from "./settings.ts";
import { StartError } from "./start-error.ts";

/** Runs a command of the one-machine mode: `serve` (the default) or `config`. */
export async function run(args: readonly string[]): Promise<void> {
  const [command = "serve"] = args;
  try {
    if (command === "config") process.stdout.write(`${describeSettings(process.env)}\n`);
    else if (command === "serve") await serve(process.env);
    else throw new StartError(`There is no command ${command}: use serve or config.`);
  } catch (error) {
    if (!(error instanceof StartError) && !(error instanceof SettingError)) throw error;
    process.stderr.write(`coldforge: ${error.message}\n`);
    process.exit(1); // keep-alive connections of the clients would hold the process
  }
}
