// Bundles entry points with esbuild, each into a module of its own that shares nothing with the others.
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder that holds package.json. */
export const project = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
/** Where bundles go. */
export const built = join(project, ".build");

/** What the start command runs: the program, and the script of the threads that take packs in. */
export const programs = {
  main: "infra/local/main.ts",
  "ingest-worker": "core/git/pack/ingest-worker.ts",
};

/** Writes `.build/<name>.mjs` for each entry (paths from the project's folder). */
export async function bundle(entries) {
  const { build, stop } = await import("esbuild").catch(() => {
    console.error("Coldforge's packages are not installed: run `npm ci` first.");
    process.exit(1);
  });
  await mkdir(built, { recursive: true });
  await build({
    absWorkingDir: project,
    entryPoints: entries,
    outdir: built,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    external: ["sst"], // the deployed functions' library: imported by none of these programs
    platform: "node",
    target: "node20",
    format: "esm",
    sourcemap: true,
    logLevel: "warning",
    // Some libraries are CommonJS inside and ask for node's modules by require.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
  });
  await stop(); // ends the compiler's own process
}
