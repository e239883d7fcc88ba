import { setTimeout } from "node:timers/promises";
import { readSlowly, type SlowReaderCase, slowReaderCases } from "../../support/hostile/slow-readers.ts";
import { type ServerProcess, startServer } from "../../support/process/server-process.ts";
import type { BenchContext, Figures } from "../bench.ts";
import { usageOf } from "../process-usage.ts";
import { makeUser } from "./hostile-mix.ts";
import { waitAt, waitsBeside } from "./innocent-caller.ts";

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
  const headers = { authorization: `token ${innocent.token}` };
  const requests = [{ method: "GET", url: `${server.url}/api/v1/user`, headers }];
  const readers = readSlowly(server, one, { leaves });
  const waits = await waitsBeside({ requests, pauseMs }, () => setTimeout(measuredMs));
  readers.stop();
  const { cpuSeconds, peakMemoryMb } = usageOf(server.pid);
  return [
    ...[peakMemoryMb.toFixed(0), (cpuSeconds - before.cpuSeconds).toFixed(0)],
    ...[String(waits.times.length - waits.refused), String(waits.refused), waitAt(waits, 1)],
  ];
}
