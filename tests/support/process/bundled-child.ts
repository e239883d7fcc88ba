import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { build } from "esbuild";

/** A Node process that runs given TypeScript and can be killed at any moment. */
export interface BundledChild {
  child: ChildProcess;
  /** Its next line on standard output. Throws when it ends first. */
  nextLine(): Promise<string>;
  /** kill -9; resolves when it is gone. */
  kill(): Promise<void>;
}

const projectFolder = join(import.meta.dirname, "..", "..", "..");

/** Bundles `source` (which may import by the project's aliases) and runs it with `args` from `process.argv[2]` on. */
export async function startChild(source: string, args: readonly string[]): Promise<BundledChild> {
  const outfile = join(projectFolder, ".build", "tests", `${randomUUID()}.mjs`);
  await build({
    stdin: { contents: source, resolveDir: projectFolder, loader: "ts" },
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    outfile,
    logLevel: "error",
  });
  const child = spawn(process.execPath, [outfile, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit").then(() => rm(outfile, { force: true }));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    async nextLine() {
      const next = await lines.next();
      if (next.done) throw new Error("the child process ended without another line");
      return next.value;
    },
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
