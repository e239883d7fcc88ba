import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type ServerProcess, startServer } from "../../support/process/server-process.ts";
import type { BenchContext } from "../bench.ts";
import { childrenOf, usageOf } from "../process-usage.ts";

const largeBytes = 100 * 2 ** 20;

/** A server of files and nothing else: takes a body into a file, and streams it back. */
const bareServer = `
  const { createServer } = require("node:http");
  const { createReadStream, createWriteStream, statSync } = require("node:fs");
  const { pipeline } = require("node:stream");
  const file = process.argv[1];
  createServer((request, response) => {
    if (request.method === "PUT") return pipeline(request, createWriteStream(file), () => response.writeHead(201).end());
    response.writeHead(200, { "content-length": statSync(file).size });
    pipeline(createReadStream(file), response, () => undefined);
  }).listen(0, "127.0.0.1", function () { console.log(this.address().port); });
`;

/** Where a large file of this hash goes, and where it comes from. */
export type LargeFilePaths = (
  server: ServerProcess,
  file: { readonly sha256: string; readonly sizeBytes: number },
) => Promise<{ readonly put: string; readonly get: string }>;

/** Rows of 100 MiB up and down: time and CPU, here and of a bare server of files in the same run. */
export async function largeFileRows({ project }: BenchContext, pathsOf: LargeFilePaths): Promise<string[][]> {
  const folder = mkdtempSync(join(tmpdir(), "coldforge-bench-"));
  const server = await startServer({ project });
  const bare = spawn(process.execPath, ["-e", bareServer, join(folder, "file")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const [port] = await once(createInterface({ input: bare.stdout }), "line");
    const body = randomBytes(largeBytes);
    const sha256 = createHash("sha256").update(body).digest("hex");
    const { put, get } = await pathsOf(server, { sha256, sizeBytes: largeBytes });
    const there = `http://127.0.0.1:${port}/`;
    const sides = [
      {
        name: "here",
        urls: { PUT: server.url + put, GET: server.url + get },
        cpu: () => sumOf([server.pid, ...childrenOf(server.pid)]),
      },
      { name: "bare server", urls: { PUT: there, GET: there }, cpu: () => sumOf([bare.pid ?? 0]) },
    ];
    const rows: string[][] = [];
    for (const method of ["PUT", "GET"] as const) {
      for (const { name, urls, cpu } of sides) {
        const [cpuBefore, began] = [cpu(), performance.now()];
        const headers = { authorization: `token ${server.token}` };
        const response = await fetch(urls[method], { method, headers, ...(method === "PUT" && { body }) });
        const answer = Buffer.from(await response.arrayBuffer());
        const seconds = (performance.now() - began) / 1000;
        if (!response.ok) throw new Error(`${name} ${method}: ${response.status}`);
        if (method === "GET" && createHash("sha256").update(answer).digest("hex") !== sha256) {
          throw new Error(`${name} gave other bytes`);
        }
        const cpuMs = Math.round((cpu() - cpuBefore) * 1000);
        rows.push([`100 MiB ${method}, ${name} (${seconds.toFixed(1)} s)`, String(cpuMs), "", "", ""]);
      }
    }
    return rows;
  } finally {
    bare.kill();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const sumOf = (pids: readonly number[]): number =>
  pids.map((pid) => usageOf(pid).cpuSeconds).reduce((sum, one) => sum + one, 0);
