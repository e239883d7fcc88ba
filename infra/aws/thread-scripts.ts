import { join } from "node:path";

/**
 * Adds a thread's script to a function's bundle in `folder`: SST bundles one module per function, and a thread needs a
 * file of its own. Run from the project's folder, like SST.
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
    // A package of its own beside the bundle (`openPgpBeside`).
    external: ["openpgp"],
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
    },
    logLevel: "error",
  });
};

const entry = "functions/threads/compute-thread.ts";

/** The script of threads that compute, beside the module of a function's handler, such as `functions/api`. */
export const addComputeThread = (handlersFolder: string) =>
  addScript(entry, `${handlersFolder}/compute-thread.mjs`);
