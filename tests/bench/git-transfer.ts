import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateRepository } from "../support/git-generator.ts";
import { administrator, freePort, startServer, until } from "../support/server-process.ts";
import { type BenchContext, type Figures, median } from "./bench.ts";
import { childrenOf, type ProcessUsage, usageOf } from "./process-usage.ts";

/** One side of the comparison: how to name a repository of it, and what it used so far. */
interface Side {
  readonly name: string;
  readonly makeRepository: (name: string) => Promise<string>;
  readonly usage: () => ProcessUsage;
  /** Waits until what a client has been answered is done with: processes that are still alive count nothing yet. */
  readonly settle: () => Promise<void>;
  /** Node alone, where stand-ins are counted too. */
  readonly nodeCpuSeconds: () => number;
}

interface Sample {
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  readonly nodeCpuSeconds: number;
}

const runs = 3;
const objects = Number(process.env.BENCH_OBJECTS ?? 24_000);
const sizeBytes = Number(process.env.BENCH_BYTES ?? 10_000_000);

/** Push and clone of a whole repository against `git http-backend`, interleaved, by the real client. */
export async function gitTransferFigures(context: BenchContext): Promise<Figures> {
  const work = mkdtempSync(join(tmpdir(), "coldforge-bench-"));
  const source = join(work, "source.git");
  await generateRepository({ folder: source, objects, sizeBytes });
  const count = Number(
    execFileSync("git", ["-C", source, "count-objects", "-v"])
      .toString()
      .match(/in-pack: (\d+)/)?.[1],
  );
  const ours = await startOurs(context);
  const peer = await startPeer(context, work);
  try {
    const samples = new Map<string, Sample[]>();
    for (let run = 0; run < runs; run += 1) {
      for (const side of [ours.side, peer.side]) {
        const url = await side.makeRepository(`run${run}`);
        const push = () => git(source, "push", "-q", "--mirror", url);
        const target = join(work, `${side.name}-${run}.git`);
        const clone = () => git(work, "clone", "-q", "--mirror", url, target);
        add(samples, `push ${side.name}`, await measure(side, push));
        add(samples, `clone ${side.name}`, await measure(side, clone));
        requireSame(source, target);
      }
    }
    return {
      title: `Push and clone of ${count} objects (medians of ${runs})`,
      rows: rowsOf(samples, [ours.side, peer.side]),
    };
  } finally {
    await ours.stop();
    await peer.stop();
    rmSync(work, { recursive: true, force: true });
  }
}

function add(samples: Map<string, Sample[]>, name: string, sample: Sample): void {
  samples.set(name, [...(samples.get(name) ?? []), sample]);
}

async function measure(side: Side, work: () => Promise<void>): Promise<Sample> {
  const before = { usage: side.usage(), node: side.nodeCpuSeconds(), time: performance.now() };
  await work();
  const wallSeconds = (performance.now() - before.time) / 1000;
  await side.settle();
  return {
    wallSeconds,
    cpuSeconds: side.usage().cpuSeconds - before.usage.cpuSeconds,
    nodeCpuSeconds: side.nodeCpuSeconds() - before.node,
  };
}

async function git(folder: string, ...args: string[]): Promise<void> {
  const child = spawn("git", args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`git ${args[0]} ended with ${code}`);
}

function requireSame(source: string, clone: string): void {
  const refs = (folder: string) => execFileSync("git", ["-C", folder, "for-each-ref"]).toString();
  if (refs(source) !== refs(clone)) throw new Error("the clone's refs differ from the source's");
  execFileSync("git", ["-C", clone, "fsck", "--full"], { stdio: "pipe" });
  if (existsSync(clone)) rmSync(clone, { recursive: true, force: true });
}

async function startOurs({ project }: BenchContext) {
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
    nodeCpuSeconds: () => usageOf(server.pid).cpuSeconds,
  };
  return { side, stop: () => server.stop() };
}

async function startPeer({ peerScript }: BenchContext, work: string) {
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
    nodeCpuSeconds: () => usageOf(pid).cpuSeconds,
  };
  const stop = async () => {
    child.kill();
    await once(child, "exit");
  };
  return { side, stop };
}

function rowsOf(samples: Map<string, Sample[]>, [ours, peer]: [Side, Side]): string[][] {
  const rows = [
    ["operation", "wall", "CPU (Node)", "CPU (all)", "ratio wall", "ratio CPU (Node)", "ratio CPU (all)"],
  ];
  const figures = (name: string) => {
    const found = samples.get(name) ?? [];
    return {
      wall: median(found.map((one) => one.wallSeconds)),
      node: median(found.map((one) => one.nodeCpuSeconds)),
      all: median(found.map((one) => one.cpuSeconds)),
    };
  };
  for (const operation of ["push", "clone"]) {
    const [one, other] = [figures(`${operation} ${ours.name}`), figures(`${operation} ${peer.name}`)];
    const seconds = (value: number) => `${value.toFixed(2)} s`;
    const ratio = (a: number, b: number) => (a / b).toFixed(2);
    rows.push([
      `${operation} ${ours.name}`,
      ...[one.wall, one.node, one.all].map(seconds),
      ratio(one.wall, other.wall),
      ratio(one.node, other.all),
      ratio(one.all, other.all),
    ]);
    rows.push([`${operation} ${peer.name}`, ...[other.wall, other.node, other.all].map(seconds)]);
  }
  for (const side of [ours, peer])
    rows.push([`peak memory ${side.name}`, `${Math.round(side.usage().peakMemoryMb)} MB`]);
  return rows;
}
