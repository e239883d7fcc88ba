import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { countedBy } from "#core/forge";
import { countInto, noUsage } from "#core/meter";
import { createToken } from "#core/token/token";
import { createUser } from "#core/user/create";
import { createPackagesApp } from "#functions/packages/app";
import { npmDocument } from "../packages/registry.ts";
import { makeForge } from "../support/forge.ts";
import { startServer } from "../support/server-process.ts";
import { onItsOwn } from "./apart.ts";
import type { BenchContext, Figures } from "./bench.ts";
import { childrenOf, usageOf } from "./process-usage.ts";

const rounds = 40;
const largeBytes = 100 * 2 ** 20;

/** What one call of a registry asks for and takes, and 100 MB of a file beside a bare server of files. */
export async function packageFigures(context: BenchContext): Promise<Figures> {
  const load = loadavg()[0]?.toFixed(1);
  const rows = [...(await callRows(context)), ...(await largeRows(context))];
  return {
    title: `Packages (a call: mean of ${rounds}, CPU of the process alone; load of the machine ${load})`,
    rows: [["what", "CPU ms", "table requests", "units read / written", "S3 reads / writes"], ...rows],
  };
}

async function callRows(context: BenchContext): Promise<string[][]> {
  const { forge, stop } = await makeForge(onItsOwn(context));
  try {
    const user = await createUser(forge, {
      name: "ada",
      email: "ada@example.com",
      password: "correct-horse-9",
    });
    const { text: token } = await createToken(forge, user, { name: "bench", scopes: ["all"] });
    const bytes = randomBytes(50_000);
    const authorization = { authorization: `Bearer ${token}` };
    const calls: Readonly<Record<string, (round: number) => [string, RequestInit]>> = {
      "npm publish, 50 KB": (round) => [
        "/ada/npm/thing",
        {
          method: "PUT",
          body: JSON.stringify(
            npmDocument("thing", `1.0.${round}`, { bytes: Buffer.concat([bytes, Buffer.of(round)]) }),
          ),
        },
      ],
      "npm document, 40 versions": () => ["/ada/npm/thing", {}],
      "npm tarball": (round) => [`/ada/npm/thing/-/1.0.${round}/thing-1.0.${round}.tgz`, {}],
      "generic PUT, 50 KB": (round) => [
        `/ada/generic/tool/${round}/a.bin`,
        { method: "PUT", body: Buffer.concat([bytes, Buffer.from(String(round))]) },
      ],
      "generic GET": (round) => [`/ada/generic/tool/${round}/a.bin`, {}],
    };
    const rows: string[][] = [];
    for (const [name, make] of Object.entries(calls)) {
      const usage = noUsage();
      const app = createPackagesApp(countedBy(forge, countInto(usage)));
      const before = process.cpuUsage();
      for (let round = 0; round < rounds; round += 1) {
        const [path, init] = make(round);
        const response = await app.request(
          `/api/packages${path}`,
          { ...init, headers: authorization },
          { clientAddress: "192.0.2.1" },
        );
        await response.arrayBuffer();
        if (response.status >= 300) throw new Error(`${name}: ${response.status}`);
      }
      const { user: spent, system } = process.cpuUsage(before);
      const mean = (sum: number) => (sum / rounds).toFixed(1);
      rows.push([
        name,
        mean((spent + system) / 1000),
        mean(usage.tableRequests),
        `${mean(usage.tableReadUnits)} / ${mean(usage.tableWriteUnits)}`,
        `${mean(usage.blobReads)} / ${mean(usage.blobWrites)}`,
      ]);
    }
    return rows;
  } finally {
    await stop();
  }
}

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

async function largeRows({ project }: BenchContext): Promise<string[][]> {
  const folder = mkdtempSync(join(tmpdir(), "coldforge-bench-"));
  const server = await startServer({ project });
  const bare = spawn(process.execPath, ["-e", bareServer, join(folder, "file")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const [port] = await once(createInterface({ input: bare.stdout }), "line");
    const body = randomBytes(largeBytes);
    const sha256 = createHash("sha256").update(body).digest("hex");
    const pids = () => [server.pid, ...childrenOf(server.pid)];
    const here = `${server.url}/api/packages/root/generic/large/1/file.bin`;
    const sides = [
      { name: "here", url: here, cpu: () => sumOf(pids()) },
      { name: "bare server", url: `http://127.0.0.1:${port}/`, cpu: () => sumOf([bare.pid ?? 0]) },
    ];
    const rows: string[][] = [];
    for (const method of ["PUT", "GET"]) {
      for (const { name, url, cpu } of sides) {
        const [cpuBefore, began] = [cpu(), performance.now()];
        const headers = { authorization: `token ${server.token}` };
        const response = await fetch(url, { method, headers, ...(method === "PUT" && { body }) });
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
