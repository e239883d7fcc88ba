import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { checkData } from "../support/process/check-data.ts";
import { freePort, type ServerProcess, startServer } from "../support/process/server-process.ts";
import { until } from "../support/until.ts";
import { check } from "./crash-check.ts";
import { Acknowledged, runLoad } from "./crash-load.ts";

export interface CrashTestOptions {
  readonly project: string;
  readonly rounds: number;
  readonly seed: number;
}

/** The result of the rounds; no problem means that nothing acknowledged was lost and nothing was half visible. */
export interface CrashTestResult {
  readonly seed: number;
  readonly rounds: number;
  readonly acknowledgedWrites: number;
  readonly acknowledgedPushes: number;
  readonly problems: readonly string[];
}

/** Random numbers from 0 up to 1 that a seed repeats (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Runs the rounds on one data folder that all of them share. */
export async function runCrashTest(options: CrashTestOptions): Promise<CrashTestResult> {
  const random = randomFrom(options.seed);
  const folder = mkdtempSync(join(tmpdir(), "coldforge-crash-"));
  const work = mkdtempSync(join(tmpdir(), "coldforge-crash-work-"));
  const port = await freePort();
  const known = new Acknowledged();
  const problems: string[] = [];
  let server = await startServer({ project: options.project, folder, port });
  const { token } = server;
  try {
    for (let round = 0; round < options.rounds && problems.length === 0; round += 1) {
      await crashUnderLoad(server, known, work, round, random);
      server = await startServer({ project: options.project, folder, port, token });
      const found = [
        ...(await check(server, known, work)),
        ...(await contradictions(options.project, folder)),
      ];
      problems.push(...found.map((problem) => `round ${round}: ${problem}`));
    }
    if (known.writes === 0 || known.pushes === 0)
      problems.push("nothing was acknowledged: nothing was tested");
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
    rmSync(work, { recursive: true, force: true });
  }
  const { seed, rounds } = options;
  return { seed, rounds, acknowledgedWrites: known.writes, acknowledgedPushes: known.pushes, problems };
}

/** The findings of the operator's check of all data. */
async function contradictions(project: string, folder: string): Promise<string[]> {
  const { code, lines } = await checkData(project, { DATA_DIR: folder });
  return code === 0 ? [] : lines;
}

/** Kills once a random number of writes (and, every other round, a push) was acknowledged, and a random time has passed. */
async function crashUnderLoad(
  server: ServerProcess,
  known: Acknowledged,
  work: string,
  round: number,
  random: () => number,
): Promise<void> {
  const stopped = new AbortController();
  const [writes, pushes] = [known.writes + 3 + Math.floor(random() * 25), known.pushes + (round % 2)];
  const load = runLoad(server, known, { work, round, signal: stopped.signal });
  await until(() => known.writes >= writes && known.pushes >= pushes);
  await pause(random() * 200);
  await server.kill();
  stopped.abort();
  await load;
}
