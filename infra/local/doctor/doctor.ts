import { parseArgs } from "node:util";
import { defined } from "#core/defined";
import { StartError } from "../start-error.ts";
import { openProbes, type ProbedService, tokenProbes } from "./probes.ts";
import { pushProbe } from "./push-probe.ts";

/** How it is called, for people. */
export const doctorUsage = `npm run doctor -- <url> [--token <token>]
    Asks a service at its public address, as clients meet it behind proxies and gateways, whether what they need holds.
    With a token (or DOCTOR_TOKEN) it pushes and clones a repository too, which it makes and deletes.
`;

/**
 * Runs the probes and prints a line for each; answers whether all succeeded. The first decides on the rest. Throws
 * StartError.
 */
export async function runDoctor(
  words: readonly string[],
  environment: Record<string, string | undefined>,
  print: (line: string) => void,
): Promise<boolean> {
  const service = readService(words, environment);
  const probes = service.token === undefined ? openProbes : [...openProbes, ...tokenProbes, pushProbe];
  let areAllHolding = true;
  for (const { claim, run } of probes) {
    const problem = await run(service).catch((error: Error) => `${error.message}${reasonOf(error)}`);
    if (problem !== undefined) areAllHolding = false;
    print(problem === undefined ? `ok     ${claim}` : `WRONG  ${claim}\n         ${problem}`);
    if (problem !== undefined && claim === probes[0]?.claim) {
      print("       (the others were not tried)");
      return false;
    }
  }
  if (service.token === undefined) print("       (give --token to try a push and a clone)");
  return areAllHolding;
}

function readService(
  words: readonly string[],
  environment: Record<string, string | undefined>,
): ProbedService {
  const wrong = (problem: string) => new StartError(`doctor: ${problem}\n${doctorUsage.trimEnd()}`);
  let parsed: { values: { token?: string }; positionals: string[] };
  try {
    parsed = parseArgs({ args: [...words], options: { token: { type: "string" } }, allowPositionals: true });
  } catch (error) {
    throw wrong((error as Error).message);
  }
  const [given = "", ...others] = parsed.positionals;
  if (others.length > 0 || !URL.canParse(given) || !/^https?:/.test(given)) {
    throw wrong("it takes one address, such as https://forge.example.org");
  }
  const url = new URL(given).href.replace(/\/+$/, "");
  const token = parsed.values.token || environment.DOCTOR_TOKEN;
  return { url, ...defined({ token }) };
}

/** The cause of "fetch failed". */
function reasonOf({ cause }: Error): string {
  const { message = "", code = "" } = (cause ?? {}) as { message?: string; code?: string };
  const reason = message || code;
  return reason === "" ? "" : `: ${reason}`;
}
