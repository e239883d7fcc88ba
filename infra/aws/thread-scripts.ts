import { join } from "node:path";

/**
 * What adds a thread's script to a function's bundle in `folder`: SST bundles one module per function, and a thread
 * needs a file of its own. Run from the project's folder, as SST does.
 */
const addScript = (entry: string, script: string) => async (folder: string) => {
  const { build } = await import("esbuild");
  await build({
    entryPoints: [entry],
    outfile: join(folder, script),
    bundle: true,
    platform: "node",
    target: "node24",
    format: "esm",
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    logLevel: "error",
  });
};

/** The script of the thread that takes packs in, beside the git function's own module. */
export const addIngestWorker = addScript(
  "core/git/ingest/ingest-worker.ts",
  "functions/git/ingest-worker.mjs",
);

/** The script of the thread that renders texts, beside the API function's: what renders loads with the first text. */
export const addRenderWorker = addScript("core/markdown/render-worker.ts", "functions/api/render-worker.mjs");
