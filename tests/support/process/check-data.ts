import { spawn } from "node:child_process";
import { once } from "node:events";

/** What `npm run check-data` answered: its exit code, and its lines on both streams. */
export interface DataCheck {
  readonly code: number;
  readonly lines: string[];
}

/** Runs the operator's command with these words, as a process of its own. */
export async function checkData(
  project: string,
  environment: Readonly<Record<string, string>>,
  words: readonly string[] = [],
): Promise<DataCheck> {
  const child = spawn(process.execPath, ["infra/local/start.mjs", "check-data", ...words], {
    cwd: project,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
  }
  const [code] = (await once(child, "close")) as [number];
  return { code, lines: text.trimEnd().split("\n") };
}
