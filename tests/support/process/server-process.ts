import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endlessRates } from "../suite/rates.ts";

/** The whole service as a process of its own, as `npm start` runs it. */
export interface ServerProcess {
  readonly url: string;
  readonly pid: number;
  readonly folder: string;
  /** From the spawn to the ready line. */
  readonly startMs: number;
  readonly token: string;
  /** What it wrote so far, both streams. */
  output(): string;
  kill(): Promise<void>;
  /** Answers the exit code, or null when a signal ended it. */
  stop(): Promise<number | null>;
}

export const administrator = { name: "root", password: "correct-horse-9" };

/** A port that nobody listens on at the moment. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

export interface ServerOptions {
  readonly project: string;
  /** Kept when given; else made, and removed by `stop`. */
  readonly folder?: string;
  readonly port?: number;
  readonly environment?: Readonly<Record<string, string>>;
  /** Used instead of minting a token when a former start made one. */
  readonly token?: string;
}

/** Starts the service and waits for its ready line; throws with its output when it ends before. */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), "coldforge-server-"));
  const began = performance.now();
  const child = spawn(process.execPath, ["infra/local/start.mjs"], {
    cwd: options.project,
    env: {
      ...process.env,
      PORT: String(options.port ?? 0),
      DATA_DIR: folder,
      ADMIN_PASSWORD: administrator.password,
      PASSWORD_HASH_COST: "10",
      WEBHOOK_ALLOWED_HOST_LIST: "loopback",
      LOG_LEVEL: "warn",
      ...endlessRates,
      ...options.environment,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const isReady = new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      if (/Coldforge is ready.*\n/.test(output)) resolve();
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}: ${output}`)));
  });
  await isReady;
  const startMs = performance.now() - began;
  const url = /ready at (\S+)/.exec(output)?.[1] ?? "";
  const token = options.token ?? (await mintToken(url));
  return {
    url,
    pid: child.pid ?? 0,
    folder,
    startMs,
    token,
    output: () => output,
    kill: () => end(child, "SIGKILL"),
    async stop() {
      await end(child, "SIGTERM");
      if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
      return child.exitCode;
    },
  };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.removeAllListeners("exit");
  const ended = once(child, "exit");
  child.kill(signal);
  await ended;
}

/** Makes a token of all scopes for a user. */
export async function mintToken(
  url: string,
  { name, password } = administrator,
  token = `t${Date.now()}`,
): Promise<string> {
  const basic = Buffer.from(`${name}:${password}`).toString("base64");
  const response = await fetch(`${url}/api/v1/users/${name}/tokens`, {
    method: "POST",
    headers: { authorization: `Basic ${basic}`, "content-type": "application/json" },
    body: JSON.stringify({ name: token, scopes: ["all"] }),
  });
  if (response.status !== 201) throw new Error(`no token: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { sha1: string }).sha1;
}
