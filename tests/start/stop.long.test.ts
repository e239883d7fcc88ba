import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { startServer } from "#tests/support/process/server-process";
import { until } from "#tests/support/until";

const project = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

async function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  return socket;
}

/** Reads until the text fits; throws when the connection ends before. */
async function readUntil(socket: Socket, expected: RegExp): Promise<string> {
  let text = "";
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    if (expected.test(text)) return text;
  }
  throw new Error(`the connection ended after: ${text}`);
}

it("PORT=0: the ready line and every link name the port that was given", async () => {
  const server = await startServer({ project, port: 0 });
  try {
    expect(Number(new URL(server.url).port)).toBeGreaterThan(0);
    const described = await fetch(`${server.url}/api/v1/openapi.json`);
    expect(described.status).toBe(200);
    expect(server.output()).toContain(`${server.url}/api/v1/openapi.json`);
    const user = await fetch(`${server.url}/api/v1/users/root`);
    expect(((await user.json()) as { html_url: string }).html_url).toBe(`${server.url}/root`);
  } finally {
    await server.stop();
  }
});

it("SIGTERM: silent and idle connections are closed at once, a request in flight is answered, the end is 0", async () => {
  const server = await startServer({ project });
  const silent = await open(server.url);
  const idle = await open(server.url);
  idle.write("GET /api/v1/version HTTP/1.1\r\nHost: forge\r\n\r\n");
  await readUntil(idle, /"version"/);
  const busy = await open(server.url);
  const body = JSON.stringify({ name: "finished-in-time" });
  busy.write(
    `POST /api/v1/user/repos HTTP/1.1\r\nHost: forge\r\nAuthorization: token ${server.token}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
  );
  await readUntil(busy, /100 Continue/); // the request is under way: its handler waits for the body

  const ended = server.stop();
  const closed = Promise.all([silent, idle].map((socket) => once(socket.resume(), "close")));
  await closed;
  busy.write(body);
  expect(await readUntil(busy, /\r\n\r\n[\s\S]*}/)).toMatch(/^HTTP\/1\.1 201 /);
  expect(await ended).toBe(0);
});

describe("npm start: SIGTERM to npm, whose shell keeps it to itself, stops the server and gives the folder up", () => {
  const isLocked = (folder: string) => existsSync(join(folder, "lock"));

  it.each([
    { when: "once it is ready", isTime: (output: string) => output.includes("Coldforge is ready") },
    { when: "while it starts", isTime: (_: string, folder: string) => isLocked(folder) },
  ])("$when", async ({ isTime }) => {
    const DATA_DIR = mkdtempSync(join(tmpdir(), "coldforge-npm-"));
    const shell = spawn("/bin/sh", ["-c", "node infra/local/start.mjs; true"], {
      cwd: project,
      env: { ...process.env, npm_lifecycle_event: "start", PORT: "0", DATA_DIR, LOG_LEVEL: "error" },
      stdio: ["ignore", "pipe", "ignore"],
    });
    try {
      let output = "";
      shell.stdout.on("data", (chunk: Buffer) => {
        output += chunk.toString();
      });
      await until(() => isTime(output, DATA_DIR));
      expect(isLocked(DATA_DIR)).toBe(true);
      shell.kill("SIGTERM");
      await until(() => !isLocked(DATA_DIR));
    } finally {
      rmSync(DATA_DIR, { recursive: true, force: true });
    }
  });
});
