import { join } from "node:path";

/** Where the git function finds the script of the thread that takes packs in: beside its own module. */
const script = "functions/git/ingest-worker.mjs";

/**
 * Adds the thread's script to the git function's bundle in `folder`: SST bundles one module per function, and a thread
 * needs a file of its own. Run from the project's folder, as SST does.
 */
export async function addIngestWorker(folder: string): Promise<void> {
  const { build } = await import("esbuild");
  await build({
    entryPoints: ["core/git/pack/ingest-worker.ts"],
    outfile: join(folder, script),
    bundle: true,
    platform: "node",
    target: "node22",
    format: "esm",
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    logLevel: "error",
  });
}
