import { call, status } from "../support/hostile-cases.ts";
import { type ServerProcess, startServer } from "../support/server-process.ts";
import { readSlowly, type SlowReaderCase, slowReaderCases } from "../support/slow-readers.ts";
import type { BenchContext, Figures } from "./bench.ts";
import { makeUser } from "./hostile-mix.ts";
import { usageOf } from "./process-usage.ts";

const measuredMs = 15_000;
const pauseMs = 100;

/** The memory of a process whose readers take nothing, and how an innocent caller fares beside them. */
export async function slowReaderFigures({ project }: BenchContext): Promise<Figures> {
  const rows = [
    ["200 readers of", "they", "MB at most", "CPU s", "answered beside", "refused", "longest ms"],
  ];
  for (const one of slowReaderCases) {
    for (const leaves of [false, true]) {
      const server = await startServer({ project });
      try {
        await one.prepare(server);
        rows.push([one.name, leaves ? "leave" : "stay", ...(await measure(server, one, leaves))]);
      } finally {
        await server.stop();
      }
    }
  }
  return { title: "Readers that take nothing", rows };
}

async function measure(server: ServerProcess, one: SlowReaderCase, leaves: boolean): Promise<string[]> {
  const innocent = await makeUser(server, "innocent");
  const before = usageOf(server.pid);
  const readers = readSlowly(server, one, { leaves });
  const waits: number[] = [];
  let refused = 0;
  for (const end = performance.now() + measuredMs; performance.now() < end; ) {
    const began = performance.now();
    if ((await status(call(innocent, "GET", "/user"))) !== 200) refused += 1;
    waits.push(performance.now() - began);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  readers.stop();
  const { cpuSeconds, peakMemoryMb } = usageOf(server.pid);
  return [
    ...[peakMemoryMb.toFixed(0), (cpuSeconds - before.cpuSeconds).toFixed(0)],
    ...[String(waits.length - refused), String(refused), Math.max(...waits).toFixed(0)],
  ];
}
