import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer } from "../support/process/server-process.ts";
import { type BenchContext, type Figures, median } from "./bench.ts";
import { childrenOf, memoryMb } from "./process-usage.ts";

const runs = 5;

/** From `npm start` to the ready line on an existing folder, and the memory of an idle server. */
export async function startFigures({ project }: BenchContext): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), "coldforge-bench-"));
  const starts: number[] = [];
  const memories: number[] = [];
  const standIns: number[] = [];
  const first = await startServer({ project, folder });
  const { token } = first;
  await first.stop();
  for (let run = 0; run < runs; run += 1) {
    const server = await startServer({ project, folder, token });
    starts.push(server.startMs);
    memories.push(memoryMb(server.pid, "VmRSS"));
    standIns.push(childrenOf(server.pid).reduce((sum, pid) => sum + memoryMb(pid, "VmRSS"), 0));
    await server.stop();
  }
  rmSync(folder, { recursive: true, force: true });
  return {
    title: `Start on an existing folder (medians of ${runs})`,
    rows: [
      ["figure", "value"],
      ["from the command to the ready line", `${Math.round(median(starts))} ms`],
      ["idle memory of the Node process", `${Math.round(median(memories))} MB`],
      ["idle memory of the DynamoDB stand-in", `${Math.round(median(standIns))} MB`],
    ],
  };
}
