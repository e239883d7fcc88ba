import { join } from "node:path";
import { build } from "esbuild";

const root = new URL("../../../", import.meta.url).pathname;

/** Bundles a file of the project, as the launcher does; gives the script's path. */
export async function bundled(entry: string, folder: string): Promise<string> {
  const outfile = join(folder, `${entry.replaceAll("/", "-").replace(/\.ts$/, "")}.mjs`);
  await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    // Some libraries are CommonJS inside and ask for node's modules by require.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
    logLevel: "error",
  });
  return outfile;
}
