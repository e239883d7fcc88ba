import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { hostileCases } from "../support/hostile-cases.ts";
import { type ServerProcess, startServer } from "../support/server-process.ts";
import type { BenchContext, Figures } from "./bench.ts";
import { usageOf } from "./process-usage.ts";

/** Asks for the version until it is told to end, on a thread: the senders of large bodies are busy themselves. */
const asker = `
const { parentPort, workerData } = require("node:worker_threads");
let isOver = false;
parentPort.once("message", () => { isOver = true; });
(async () => {
  let longest = 0;
  for (let count = 0; !isOver; count += 1) {
    const began = performance.now();
    await (await fetch(workerData)).arrayBuffer();
    if (count > 0) longest = Math.max(longest, performance.now() - began);
    if (count === 0) parentPort.postMessage("ready");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  parentPort.postMessage(longest);
})();
`;

/** The longest that a light request waited while some work was done, in milliseconds. */
async function longestWait({ url }: ServerProcess, work: () => Promise<unknown>): Promise<number> {
  const thread = new Worker(asker, { eval: true, workerData: `${url}/api/v1/version` });
  try {
    await once(thread, "message");
    await work();
    thread.postMessage("end");
    const [longest] = await once(thread, "message");
    return longest;
  } finally {
    await thread.terminate();
  }
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
