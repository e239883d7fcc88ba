import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { commandLine, endProcess } from "./running-process.ts";
import { StartError } from "./start-error.ts";

const version = "1.2.1";

/** The program of the DynamoDB stand-in: in the package for this platform. Throws a StartError that says what to do. */
export function findDynamodbProgram(platform: string = `${process.platform}-${process.arch}`): string {
  const name = `@dynoxide/${platform}`;
  try {
    const folder = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
    return join(folder, platform.startsWith("win32") ? "dynoxide.exe" : "dynoxide");
  } catch (error) {
    throw new StartError(
      [
        `The DynamoDB stand-in for ${platform} is not installed. Do one of these and start again:`,
        `  - npm i --no-save ${name}@${version}`,
        "  - docker run -p 8000:8000 amazon/dynamodb-local (or run DynamoDBLocal.jar from AWS),",
        "    and set AWS_ENDPOINT_URL_DYNAMODB=http://127.0.0.1:8000",
        "  - set AWS_ENDPOINT_URL_DYNAMODB to any other DynamoDB, such as https://dynamodb.eu-central-1.amazonaws.com",
      ].join("\n"),
      { cause: error },
    );
  }
}

/** One run of the program on one database file. */
export interface DynamodbProcess {
  child: ChildProcess;
  /** Resolves when the program has ended, with its last lines on standard error. */
  ended: Promise<string>;
}

// The shell becomes the program (same process number) and leaves behind a reader of our end of the pipe: when this
// process dies, however it dies, the pipe closes and the program is ended with it.
const dieWithParent =
  'exec 3<&0; (read -r _ <&3; kill -9 $$) >/dev/null 2>&1 & exec "$0" "$@" 3<&- </dev/null';

/** Starts the program. It runs in a group of its own, so that Ctrl-C reaches it only through the clean stop. */
export function spawnDynamodb(program: string, args: readonly string[], pidFile: string): DynamodbProcess {
  const isWindows = process.platform === "win32";
  const [command, words] = isWindows
    ? [program, [...args]]
    : ["/bin/sh", ["-c", dieWithParent, program, ...args]];
  const child = spawn(command, words, { stdio: ["pipe", "ignore", "pipe"], detached: !isWindows });
  if (child.pid !== undefined) writeFileSync(pidFile, String(child.pid), { mode: 0o600 });
  let lastWords = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    lastWords = (lastWords + chunk.toString()).slice(-2000);
  });
  child.stdin?.on("error", () => child.stdin?.destroy());
  const ended = new Promise<string>((done) => {
    child.once("exit", () => {
      child.stdin?.destroy();
      done(lastWords.trim());
    });
    child.once("error", (error) => done(error.message));
  });
  return { child, ended };
}

/** Ends a program that an earlier start left behind on the same database file (both are checked), and waits for it. */
export async function endLeftover(pidFile: string, databasePath: string): Promise<void> {
  let pid: number;
  try {
    pid = Number(readFileSync(pidFile, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  if (Number.isInteger(pid) && pid > 1 && commandLine(pid)?.includes(databasePath)) {
    const isGone = await endProcess(pid, 5000);
    if (!isGone)
      throw new StartError(`Process ${pid} still holds ${databasePath} and can't be ended. End it first.`);
  }
  rmSync(pidFile, { force: true });
}

/** Waits until the program answers (true) or has ended (false). Throws a StartError after `timeoutMs`. */
export async function waitUntilAnswering(
  endpoint: string,
  run: DynamodbProcess,
  timeoutMs: number,
): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  const outcome = { hasEnded: false };
  void run.ended.then(() => {
    outcome.hasEnded = true;
  });
  while (!outcome.hasEnded) {
    const isAnswering = await fetch(endpoint, { signal: AbortSignal.timeout(1000) })
      .then((answer) => answer.text())
      .then(
        (text) => text.startsWith("healthy"),
        () => false,
      );
    if (isAnswering) return true;
    if (Date.now() > deadline) throw new StartError(`The DynamoDB stand-in does not answer on ${endpoint}.`);
    await pause(5);
  }
  return false;
}

/** Ends the program: politely first, by force after `graceMs`. */
export async function endDynamodb(run: DynamodbProcess, graceMs: number): Promise<void> {
  run.child.kill("SIGTERM");
  const force = setTimeout(() => run.child.kill("SIGKILL"), graceMs);
  await run.ended;
  clearTimeout(force);
}
