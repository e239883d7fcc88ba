import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import { administrator, type ServerProcess, startServer } from "#tests/support/process/server-process";
import { until } from "#tests/support/until";

const project = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const folder = mkdtempSync(join(tmpdir(), "coldforge-data-"));
const elsewhere = mkdtempSync(join(tmpdir(), "coldforge-elsewhere-"));
let server: ServerProcess | undefined;
afterAll(async () => {
  await server?.kill();
  for (const one of [folder, elsewhere]) rmSync(one, { recursive: true, force: true });
});

const leftIn = (path: string) => readdirSync(path).filter((name) => name.startsWith("coldforge-"));
const start = () => startServer({ project, folder, environment: { TMPDIR: elsewhere } });

it("what a killed process leaves of bodies, archives and packs lies in the data folder, and goes at the next start", async () => {
  server = await start();
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
  socket.on("error", () => undefined);
  const lines = [
    "PATCH /api/v1/user/settings HTTP/1.1",
    "Host: forge",
    `Authorization: Basic ${Buffer.from(`${administrator.name}:${administrator.password}`).toString("base64")}`,
    "Content-Type: application/json",
    "Content-Length: 300000",
  ];
  socket.write(`${lines.join("\r\n")}\r\n\r\n${"x".repeat(200_000)}`);
  const temporary = join(folder, "tmp");
  await until(() => leftIn(temporary).length === 1);
  await server.kill();
  expect([leftIn(temporary).length, leftIn(elsewhere)]).toEqual([1, []]);
  server = await start();
  expect([leftIn(temporary), leftIn(elsewhere)]).toEqual([[], []]);
});
