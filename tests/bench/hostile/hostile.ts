import { hostileCases } from "../../support/hostile/hostile-cases.ts";
import { hostileFiles } from "../../support/hostile/hostile-files.ts";
import { hostileHistories } from "../../support/hostile/hostile-histories.ts";
import { hostileNeighbours } from "../../support/hostile/hostile-neighbours.ts";
import { hostilePulls } from "../../support/hostile/hostile-pulls.ts";
import { startServer } from "../../support/process/server-process.ts";
import type { BenchContext, Figures } from "../bench.ts";
import { usageOf } from "../process-usage.ts";
import { waitAt, waitsBeside } from "./innocent-caller.ts";

const cases = [...hostileCases, ...hostileFiles, ...hostileHistories, ...hostileNeighbours, ...hostilePulls];

/** The cost of small hostile requests, and the longest wait of a light request beside them. */
export async function hostileFigures({ project }: BenchContext): Promise<Figures> {
  const rows: string[][] = [["case", "statuses", "s", "longest wait ms", "CPU s", "MB at most"]];
  for (const one of cases) {
    const server = await startServer({ project });
    try {
      await one.prepare?.(server);
      const [began, before] = [performance.now(), usageOf(server.pid)];
      let statuses: number[] = [];
      const light = [{ method: "GET", url: `${server.url}/api/v1/version` }];
      const waits = await waitsBeside({ requests: light, pauseMs: 20 }, async () => {
        statuses = await one.send(server);
      });
      const seconds = (performance.now() - began) / 1000;
      const { cpuSeconds, peakMemoryMb } = usageOf(server.pid);
      const shown = [...new Set(statuses)].join(" ");
      rows.push([
        ...[one.name, shown, seconds.toFixed(1), waitAt(waits, 1)],
        ...[(cpuSeconds - before.cpuSeconds).toFixed(1), peakMemoryMb.toFixed(0)],
      ]);
    } finally {
      await server.stop();
    }
  }
  return { title: "Hostile requests: the longest wait of a light one beside them", rows };
}
