import { parseArgs } from "node:util";
import { ForgeError } from "#core/errors";
import type { Forge } from "#core/forge";
import { withForge } from "../opened-forge.ts";
import { readLauncherConfig } from "../settings.ts";
import { StartError } from "../start-error.ts";
import { deadLetterCommands } from "./dead-letter-commands.ts";
import { oauth2Commands } from "./oauth2-commands.ts";
import { runnerCommands } from "./runner-commands.ts";
import { userCommands } from "./user-commands.ts";

/** The parsed words of a command line: flags with a value, and flags without one. */
export interface Options {
  readonly [name: string]: string | boolean | undefined;
}

/** One command: its flags, and its work, which answers the text for the operator. */
export interface AdminCommand {
  /** The flags with their placeholders, as the help shows them. */
  readonly synopsis: string;
  readonly about: string;
  readonly options: Readonly<Record<string, { readonly type: "string" | "boolean" }>>;
  /** Flags that must be given. */
  readonly required: readonly string[];
  readonly perform: (forge: Forge, options: Options) => Promise<string>;
}

const commands: Readonly<Record<string, AdminCommand>> = {
  ...userCommands,
  ...runnerCommands,
  ...oauth2Commands,
  ...deadLetterCommands,
};

/** The commands of `npm run admin`, for people. */
export function adminUsage(): string {
  const lines = Object.entries(commands).map(
    ([name, { synopsis, about }]) => `  npm run admin -- ${name} ${synopsis}\n      ${about}`,
  );
  return [
    "What an operator does beside the API. It works on DATA_DIR, whether the server runs or not; with",
    "AWS_ENDPOINT_URL_DYNAMODB and TABLE_NAME set on that table, such as a deployed one.",
    "",
    ...lines,
    "",
  ].join("\n");
}

/** Runs one command, such as `user change-password --username root`. Throws StartError. */
export async function runAdmin(
  words: readonly string[],
  environment: Record<string, string | undefined>,
): Promise<string> {
  const name = words.slice(0, 2).join(" ");
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    const known = Object.keys(commands).join(", ");
    throw new StartError(`there is no command "${name}": choose from ${known} (npm run admin -- --help).`);
  }
  const options = readOptions(name, command, words.slice(2));
  const launcher = readLauncherConfig(environment);
  try {
    return await withForge(environment, launcher, (forge) => command.perform(forge, options));
  } catch (error) {
    throw forOperators(name, error);
  }
}

/** The refusal of a verb, a service or the search for credentials in one sentence; other errors stay as they are. */
function forOperators(name: string, error: unknown): unknown {
  const { $metadata, name: code, message, cause } = error as Error & { $metadata?: object };
  if (error instanceof ForgeError) {
    const reason = cause instanceof Error ? ` (${cause.message || cause.name})` : "";
    return new StartError(`${name}: ${message}${reason}`, { cause: error });
  }
  if ($metadata === undefined && code !== "CredentialsProviderError") return error;
  return new StartError(`${name}: the service refused: ${code}: ${message}`, { cause: error });
}

function readOptions(name: string, command: AdminCommand, args: readonly string[]): Options {
  const wrong = (problem: string) =>
    new StartError(`${name}: ${problem}. It is called: npm run admin -- ${name} ${command.synopsis}`);
  let values: Options;
  try {
    values = parseArgs({ args: [...args], options: { ...command.options }, strict: true }).values;
  } catch (error) {
    throw wrong((error as Error).message.split(/\.(\s|$)/)[0] ?? "");
  }
  const missing = command.required.find((flag) => values[flag] === undefined || values[flag] === "");
  if (missing !== undefined) throw wrong(`--${missing} is missing`);
  return values;
}
