import { readFileSync } from "node:fs";

/** What a process (and the children it has waited for) used so far. Read from /proc, so on Linux alone. */
export interface ProcessUsage {
  readonly cpuSeconds: number;
  readonly peakMemoryMb: number;
}

const ticksPerSecond = 100;

/** Reads a live process; `cpuSeconds` includes children that have ended and were waited for. */
export function usageOf(pid: number): ProcessUsage {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = [11, 12, 13, 14].map((at) => Number(fields[at])).reduce((sum, one) => sum + one, 0);
  return { cpuSeconds: ticks / ticksPerSecond, peakMemoryMb: memoryMb(pid, "VmHWM") };
}

/** A line of /proc/<pid>/status in MB: `VmHWM` the peak, `VmRSS` now. */
export function memoryMb(pid: number, line: "VmHWM" | "VmRSS"): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`${line}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) / 1024;
}

/** Process ids of the direct children. */
export const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
