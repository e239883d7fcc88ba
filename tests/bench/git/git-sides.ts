import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { administrator, freePort, startServer } from "../../support/process/server-process.ts";
import { until } from "../../support/until.ts";
import type { BenchContext } from "../bench.ts";
import { childrenOf, type ProcessUsage, usageOf } from "../process-usage.ts";

/** One side of the comparison: how to name a repository of it, and what it used so far. */
export interface Side {
  readonly name: string;
  readonly makeRepository: (name: string) => Promise<string>;
  readonly usage: () => ProcessUsage;
  /** Waits until what a client has been answered is done with: processes that are still alive count nothing yet. */
  readonly settle: () => Promise<void>;
  /** Waits until nothing is done any more of what follows an answer: jobs that the last push has started. */
  readonly rest: () => Promise<void>;
  /** Node alone, where stand-ins are counted too. */
  readonly nodeCpuSeconds: () => number;
}

/** A side that runs until it is stopped. */
export interface RunningSide {
  readonly side: Side;
  readonly stop: () => Promise<unknown>;
}

/** The whole service as `npm start` runs it. */
export async function startOurs({ project }: BenchContext): Promise<RunningSide> {
  const server = await startServer({ project });
  const base = server.url.replace("//", `//${administrator.name}:${server.token}@`);
  const side: Side = {
    name: "coldforge",
    async makeRepository(name) {
      const response = await fetch(`${server.url}/api/v1/user/repos`, {
        method: "POST",
        headers: { authorization: `token ${server.token}`, "content-type": "application/json" },
        body: JSON.stringify({ name }),
      });
      if (response.status !== 201) throw new Error(await response.text());
      return `${base}/${administrator.name}/${name}.git`;
    },
    usage() {
      const all = [server.pid, ...childrenOf(server.pid)].map(usageOf);
      return {
        cpuSeconds: all.reduce((sum, one) => sum + one.cpuSeconds, 0),
        peakMemoryMb: usageOf(server.pid).peakMemoryMb,
      };
    },
    settle: async () => undefined,
    rest: () => untilIdle(() => usageOf(server.pid).cpuSeconds),
    nodeCpuSeconds: () => usageOf(server.pid).cpuSeconds,
  };
  return { side, stop: () => server.stop() };
}

/** `git http-backend` behind a bridge, its repositories in a folder. */
export async function startPeer({ peerScript }: BenchContext, work: string): Promise<RunningSide> {
  const folder = join(work, "peer");
  mkdirSync(folder);
  const port = await freePort();
  const child = spawn(process.execPath, [peerScript, folder, String(port)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  const pid = child.pid ?? 0;
  const side: Side = {
    name: "http-backend",
    async makeRepository(name) {
      const path = join(folder, `${name}.git`);
      execFileSync("git", ["init", "-q", "--bare", "-b", "main", path]);
      execFileSync("git", ["-C", path, "config", "http.receivepack", "true"]);
      return `http://127.0.0.1:${port}/${name}.git`;
    },
    usage: () => usageOf(pid),
    settle: () => until(() => childrenOf(pid).length === 0),
    rest: async () => undefined,
    nodeCpuSeconds: () => usageOf(pid).cpuSeconds,
  };
  const stop = async () => {
    child.kill();
    await once(child, "exit");
  };
  return { side, stop };
}

/** Jobs of several steps rest in between. */
const idleMs = 10_000;
const idleCpuSeconds = 0.05;

/** Waits until some seconds have passed in which hardly anything was used. */
async function untilIdle(cpuSeconds: () => number): Promise<void> {
  for (let before = Number.NEGATIVE_INFINITY, now = cpuSeconds(); now - before > idleCpuSeconds; ) {
    before = now;
    await pause(idleMs);
    now = cpuSeconds();
  }
}
