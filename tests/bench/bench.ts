import { countFigures } from "./counts.ts";
import { createFigures } from "./creates.ts";
import { gitTransferFigures } from "./git/git-transfer.ts";
import { historyFigures } from "./git/history.ts";
import { lfsFigures } from "./git/lfs.ts";
import { hookFigures } from "./hooks.ts";
import { hostileFigures } from "./hostile/hostile.ts";
import { hostileMixFigures } from "./hostile/hostile-mix.ts";
import { slowReaderFigures } from "./hostile/slow-readers.ts";
import { issueFigures } from "./issues.ts";
import { listIndexFigures } from "./list-index.ts";
import { mirrorFigures } from "./mirrors.ts";
import { packageFigures } from "./packages.ts";
import { pullFigures } from "./pulls.ts";
import { requestFigures } from "./requests.ts";
import { searchFigures } from "./search.ts";
import { startFigures } from "./start-up.ts";
import { wordFigures } from "./words.ts";

/** The context of every part of the bench. */
export interface BenchContext {
  /** The folder that holds package.json. */
  readonly project: string;
  /** The bundled peer: `git http-backend` behind a bridge. */
  readonly peerScript: string;
  /** The bundled stand-in of S3 or SQS, as a process. */
  readonly standInScript: string;
}

/** A table of figures with its title. */
export interface Figures {
  readonly title: string;
  readonly rows: readonly (readonly string[])[];
}

const parts: Readonly<Record<string, (context: BenchContext) => Promise<Figures>>> = {
  start: startFigures,
  requests: requestFigures,
  issues: issueFigures,
  pulls: pullFigures,
  lfs: lfsFigures,
  packages: packageFigures,
  hooks: hookFigures,
  mirrors: mirrorFigures,
  creates: createFigures,
  "list-index": listIndexFigures,
  search: searchFigures,
  words: wordFigures,
  counts: countFigures,
  git: gitTransferFigures,
  history: historyFigures,
  hostile: hostileFigures,
  "hostile-mix": hostileMixFigures,
  "slow-readers": slowReaderFigures,
};

/** What can be measured on its own. */
export const partNames: readonly string[] = Object.keys(parts);

/** Runs the named parts (all when none is named) and prints a table for each. */
export async function runBench(given: BenchContext & { parts: readonly string[] }): Promise<void> {
  for (const name of given.parts.length > 0 ? given.parts : partNames) {
    const part = parts[name];
    if (part !== undefined) print(await part(given));
  }
}

function print({ title, rows }: Figures): void {
  const widths = (rows[0] ?? []).map((_cell, column) =>
    Math.max(...rows.map((row) => (row[column] ?? "").length)),
  );
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  process.stdout.write(`\n${title}\n${lines.join("\n")}\n`);
}

/** The middle of the values; of an even number the lower one. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
}
