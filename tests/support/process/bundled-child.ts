import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdir, rm, writeFile } from "node:fs/promises";
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

const bundles = new Map<string, Promise<string>>();

/** A source and what it imports as one module; each is bundled once, however often it is started. */
function bundle(contents: string): Promise<string> {
  const known = bundles.get(contents);
  if (known !== undefined) return known;
  const building = build({
    stdin: { contents, resolveDir: projectFolder, loader: "ts" },
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    write: false,
    logLevel: "error",
  }).then(({ outputFiles }) => outputFiles.map(({ text }) => text).join(""));
  bundles.set(contents, building);
  return building;
}

/** Bundles `source` (which may import by the project's aliases) and runs it with `args` from `process.argv[2]` on. */
export async function startChild(source: string, args: readonly string[]): Promise<BundledChild> {
  const folder = join(projectFolder, ".build", "tests");
  const outfile = join(folder, `${randomUUID()}.mjs`);
  await mkdir(folder, { recursive: true });
  await writeFile(outfile, await bundle(source));
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
