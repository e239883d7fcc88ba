import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { countedBy } from "#core/forge";
import { dueWrite } from "#core/jobs/due";
import { countInto, noUsage } from "#core/meter";
import { startDueMirrors } from "#core/mirror/due-mirrors";
import { mirrorDueKind } from "#core/mirror/mirror.table";
import { pushMirrorDueKind } from "#core/push-mirror/push-mirror.table";
import { startDuePushMirrors } from "#core/push-mirror/start";
import { makeForge } from "../support/forge.ts";
import { generateRepository } from "../support/git/git-generator.ts";
import { type ServerProcess, startServer } from "../support/process/server-process.ts";
import { onItsOwn } from "./apart.ts";
import type { BenchContext, Figures } from "./bench.ts";
import { startPeer } from "./git/git-sides.ts";
import { childrenOf, usageOf } from "./process-usage.ts";

const objects = Number(process.env.BENCH_OBJECTS ?? 100_000);
const notDue = Number(process.env.BENCH_MIRRORS ?? 100_000);
/** A sync without news takes little: so many make a figure. */
const often = 10;
const pollMs = 20;

/**
 * The first sync of a large repository and those without news, beside `git clone --mirror` and `git fetch` of the same
 * source in the same run; and what a tick asks for when no mirror is due.
 */
export async function mirrorFigures(context: BenchContext): Promise<Figures> {
  const load = loadavg()[0]?.toFixed(1);
  const rows = [...(await syncRows(context)), ...(await tickRows(context))];
  return {
    title: `Mirrors: ${objects} objects; CPU of Node, of it and its stand-ins, or of git's client; load ${load}`,
    rows: [["what", "wall", "CPU", "CPU (all)"], ...rows],
  };
}

interface Cost {
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  readonly allSeconds: number;
}

async function syncRows(context: BenchContext): Promise<string[][]> {
  const work = mkdtempSync(join(tmpdir(), "coldforge-bench-"));
  const peer = await startPeer(context, work);
  const server = await startServer({
    project: context.project,
    environment: { MIGRATION_ALLOWED_HOST_LIST: "loopback", MIRROR_WAIT: "0" },
  });
  try {
    await generateRepository({ folder: join(work, "peer", "source.git"), objects });
    const port = (await peer.side.makeRepository("none")).replace(/none\.git$/, "");
    const source = `${port}source.git`;
    const copy = join(work, "copy.git");
    const first = await oursOf(server, () => begin(server, source));
    const theirFirst = await gitOf(work, `git clone -q --mirror ${source} ${copy}`);
    const again = await oursOf(server, async () => {
      for (let time = 0; time < often; time += 1) await sync(server);
    });
    const fetches = Array.from({ length: often }, () => `git -C ${copy} fetch -q --prune`).join(" && ");
    const theirAgain = await gitOf(work, fetches);
    return [
      row("first sync", first),
      row("… git clone --mirror", theirFirst),
      row("sync without news", each(again)),
      row("… git fetch --prune", each(theirAgain)),
    ];
  } finally {
    await server.stop();
    await peer.stop();
    rmSync(work, { recursive: true, force: true });
  }
}

const each = ({ wallSeconds, cpuSeconds, allSeconds }: Cost): Cost => ({
  wallSeconds: wallSeconds / often,
  cpuSeconds: cpuSeconds / often,
  allSeconds: allSeconds / often,
});

const row = (name: string, { wallSeconds, cpuSeconds, allSeconds }: Cost): string[] => [
  name,
  ...[wallSeconds, cpuSeconds, allSeconds].map((seconds) => `${(seconds * 1000).toFixed(0)} ms`),
];

async function oursOf(server: ServerProcess, work: () => Promise<void>): Promise<Cost> {
  const cpu = () => usageOf(server.pid).cpuSeconds;
  const all = () =>
    [server.pid, ...childrenOf(server.pid)].reduce((sum, pid) => sum + usageOf(pid).cpuSeconds, 0);
  const before = { time: performance.now(), cpu: cpu(), all: all() };
  await work();
  return {
    wallSeconds: (performance.now() - before.time) / 1000,
    cpuSeconds: cpu() - before.cpu,
    allSeconds: all() - before.all,
  };
}

/** Runs commands of git; the shell says what its children took. */
async function gitOf(folder: string, commands: string): Promise<Cost> {
  const began = performance.now();
  const child = spawn("bash", ["-c", `${commands} && times`], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`git ended with ${code}`);
  const wallSeconds = (performance.now() - began) / 1000;
  const [, ofChildren = ""] = output.trim().split("\n");
  const spent = [...ofChildren.matchAll(/(\d+)m([\d.]+)s/g)];
  const cpuSeconds = spent.reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds),
    0,
  );
  return { wallSeconds, cpuSeconds, allSeconds: cpuSeconds };
}

async function call(server: ServerProcess, method: string, path: string, body?: object): Promise<unknown> {
  const answer = await fetch(`${server.url}/api/v1${path}`, {
    method,
    headers: { authorization: `token ${server.token}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
  return text === "" ? undefined : JSON.parse(text);
}

async function begin(server: ServerProcess, clone_addr: string): Promise<void> {
  await call(server, "POST", "/repos/migrate", { clone_addr, repo_name: "mirror", mirror: true });
  await untilEnd(server);
}

async function sync(server: ServerProcess): Promise<void> {
  await call(server, "POST", "/repos/root/mirror/mirror-sync");
  await untilEnd(server);
}

async function untilEnd(server: ServerProcess): Promise<void> {
  for (;;) {
    const state = (await call(server, "GET", "/repos/root/mirror/migration")) as Record<string, string>;
    if (state.status === "done" && state.message === "") return;
    if (state.status === "failed" || state.message !== "") throw new Error(JSON.stringify(state));
    await pause(pollMs);
  }
}

/** What a tick asks for with no mirror at all, and with many of which none is due. */
async function tickRows(context: BenchContext): Promise<string[][]> {
  const { forge, stop } = await makeForge(onItsOwn(context));
  try {
    const none = await tickRow(forge, "a tick with 0 mirrors");
    const later = forge.clock.now() + 3_600_000;
    for (let at = 0; at < notDue; at += 50) {
      const writes = Array.from({ length: Math.min(50, notDue - at) }, (_, next) => {
        const id = String(at + next);
        return [mirrorDueKind, pushMirrorDueKind].map((kind) => dueWrite(kind, later + at, id, { id }));
      });
      await forge.table.transact(writes.flat());
    }
    return [none, await tickRow(forge, `a tick with ${notDue} of each kind, none due`)];
  } finally {
    await stop();
  }
}

async function tickRow(forge: Parameters<typeof countedBy>[0], name: string): Promise<string[]> {
  const usage = noUsage();
  const counted = countedBy(forge, countInto(usage));
  await startDueMirrors(counted);
  await startDuePushMirrors(counted);
  return [
    name,
    `${usage.tableRequests} requests`,
    `${usage.tableReadUnits} read units`,
    `${usage.tableWriteUnits} written`,
  ];
}
