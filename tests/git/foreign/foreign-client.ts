import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** A client that shares no code with git, by its script. Both come from Debian's packages (`.ci/debian-packages`). */
export type ForeignClient = "with_dulwich" | "with_libgit2";

// The system's own Python: Debian's packages are nobody else's.
const python = "/usr/bin/python3";
const patienceMs = 60_000;
const environment = { PATH: process.env.PATH, HOME: "/nonexistent", LC_ALL: "C.UTF-8" };

/** Runs a command of a client; answers the refs that were refused, with the reasons. Throws with what it said. */
export async function runClient(
  client: ForeignClient,
  ...args: readonly string[]
): Promise<Record<string, string>> {
  const script = fileURLToPath(new URL(`${client}.py`, import.meta.url));
  const options = { env: environment, timeout: patienceMs };
  const { stdout } = await promisify(execFile)(python, ["-W", "ignore", script, ...args], options);
  return (JSON.parse(stdout) as Record<string, string> | null) ?? {};
}
