import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

function readProc(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ESRCH" || code === "EACCES") return undefined;
    throw error;
  }
}

/** A column of `ps` for one process; undefined when no such process (or no `ps`) exists. */
function psColumn(pid: number, column: string): string | undefined {
  try {
    return execFileSync("ps", ["-ww", "-p", String(pid), "-o", `${column}=`], { encoding: "utf8" }).trim();
  } catch {
    return undefined; // ps exits with 1 when there is no such process
  }
}

/**
 * Names one run of a process: differs when the number has since been given to another process (Linux: boot id and
 * start ticks; elsewhere the start time). Undefined when no such process runs; a zombie doesn't.
 */
export function processIdentity(pid: number): string | undefined {
  if (process.platform !== "linux") return psColumn(pid, "lstart") || undefined;
  const stat = readProc(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The second field is the program's name in brackets and may itself hold blanks and brackets.
  const [state, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (state === "Z" || state === "X") return undefined;
  return `${readProc("/proc/sys/kernel/random/boot_id")?.trim() ?? ""}:${rest[18] ?? ""}`;
}

/** The command line of a running process, words separated by blanks; undefined when no such process runs. */
export function commandLine(pid: number): string | undefined {
  if (process.platform !== "linux") return psColumn(pid, "command");
  return readProc(`/proc/${pid}/cmdline`)?.replaceAll("\0", " ");
}

/** Ends a process that is not our child with SIGKILL and returns once it is gone; false after `timeoutMs`. */
export async function endProcess(pid: number, timeoutMs: number): Promise<boolean> {
  const identity = processIdentity(pid);
  const deadline = Date.now() + timeoutMs;
  while (identity !== undefined && processIdentity(pid) === identity) {
    if (Date.now() > deadline) return false;
    try {
      process.kill(pid, "SIGKILL");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ESRCH") return true;
      throw error;
    }
    await pause(10);
  }
  return true;
}
