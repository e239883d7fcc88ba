import { call, hostileCases } from "../support/hostile-cases.ts";
import { type ServerProcess, startServer } from "../support/server-process.ts";
import type { BenchContext, Figures } from "./bench.ts";
import { usageOf } from "./process-usage.ts";

const pauseMs = 20;

/** The longest that a light request waited while some work was done, in milliseconds. */
async function longestWait(server: ServerProcess, work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isOver = false;
  const asking = (async () => {
    while (!isOver) {
      const began = performance.now();
      await (await call(server, "GET", "/version", { as: "" })).arrayBuffer();
      longest = Math.max(longest, performance.now() - began);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  })();
  await work();
  isOver = true;
  await asking;
  return longest;
}

/** The cost of small hostile requests, and the longest wait of a light request beside them. */
export async function hostileFigures({ project }: BenchContext): Promise<Figures> {
  const rows: string[][] = [["case", "statuses", "s", "longest wait ms", "CPU s", "MB at most"]];
  for (const one of hostileCases) {
    const server = await startServer({ project });
    try {
      await one.prepare?.(server);
      const [began, before] = [performance.now(), usageOf(server.pid)];
      let statuses: number[] = [];
      const waited = await longestWait(server, async () => {
        statuses = await one.send(server);
      });
      const seconds = (performance.now() - began) / 1000;
      const { cpuSeconds, peakMemoryMb } = usageOf(server.pid);
      const shown = [...new Set(statuses)].join(" ");
      rows.push([
        ...[one.name, shown, seconds.toFixed(1), waited.toFixed(0)],
        ...[(cpuSeconds - before.cpuSeconds).toFixed(1), peakMemoryMb.toFixed(0)],
      ]);
    } finally {
      await server.stop();
    }
  }
  return { title: "Hostile requests: the longest wait of a light one beside them", rows };
}
