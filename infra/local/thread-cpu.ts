import { openSync, readSync } from "node:fs";

const mostBytes = 96;

/**
 * A clock that tells how long the thread that made it has computed, in ms; nothing where the system doesn't say (it is
 * Linux that does). Unlike the time of day it stands still while the machine runs other programs. A look takes 10 µs.
 */
export function threadCpuClock(): (() => number) | undefined {
  try {
    const file = openSync("/proc/thread-self/schedstat", "r");
    const bytes = Buffer.alloc(mostBytes);
    const look = () =>
      Number(bytes.toString("latin1", 0, readSync(file, bytes, 0, mostBytes, 0)).split(" ")[0]) / 1e6;
    return Number.isFinite(look()) ? look : undefined;
  } catch {
    return undefined;
  }
}
