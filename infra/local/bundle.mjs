// Bundles entry points with esbuild, each with all of our code that it may need in one file: to find, read and link
// hundreds of chunks would take most of a start. A bundle of the same sources is used again.
import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder that holds package.json. */
export const project = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const built = join(project, ".build");
const draftPrefix = "draft-";
const keptMs = 7 * 24 * 3600 * 1000;
const keptBundles = 3;

/** The programs of the start command: the program, and the script of the computing threads. */
export const programs = {
  main: "infra/local/main.ts",
  "compute-thread": "functions/threads/compute-thread.ts",
};

/** Answers the folder that holds `<name>.mjs` for each entry (paths from the project's folder). */
export async function bundle(entries) {
  const folder = join(built, await fingerprint(entries));
  if (existsSync(folder)) return folder;
  try {
    await write(entries, folder);
  } catch (error) {
    const missing = bundlerSays(error, "Could not resolve");
    if (missing !== undefined)
      refuse(`its packages are not those of this version (${missing}): run \`npm ci\`.`);
    const reason = error.path?.startsWith(built) ? error.message : bundlerSays(error, "Failed to write");
    if (reason === undefined) throw error;
    refuse(
      `Can't write the bundled program to ${built}: ${reason}. Make that folder writable for this user, ` +
        "or run `npm run config` once as the user who owns it: what is bundled there is used again.",
    );
  }
  return folder;
}

async function write(entries, folder) {
  const draft = join(built, draftPrefix + randomUUID());
  await mkdir(draft, { recursive: true });
  await compile(entries, draft);
  await removeOld();
  await rename(draft, folder).catch(async (error) => {
    if (!existsSync(folder)) throw error; // else another start was faster
    await rm(draft, { recursive: true });
  });
}

/** The bundler's complaint that begins so; undefined when it fails for another reason. */
const bundlerSays = (error, beginning) => error.errors?.find(({ text }) => text.startsWith(beginning))?.text;

/** Ends the start with one sentence for people. */
export function refuse(message) {
  console.error(`coldforge: ${message}`);
  process.exit(1);
}

/**
 * Identifies everything that a bundle depends on: the entries, the locked packages, each source file's size and time.
 */
async function fingerprint(entries) {
  const hash = createHash("sha256").update(JSON.stringify(entries));
  hash.update(await readFile(join(project, "package-lock.json")));
  const folders = new Set([
    "core",
    "functions",
    "infra",
    ...Object.values(entries).map((entry) => entry.split("/")[0]),
  ]);
  for (const folder of [...folders].sort()) {
    const files = await readdir(join(project, folder), { recursive: true });
    const sources = files.filter((file) => /\.m?[jt]s$/.test(file)).sort();
    const stats = await Promise.all(sources.map((file) => stat(join(project, folder, file))));
    for (const [at, { size, mtimeMs }] of stats.entries())
      hash.update(`${folder}/${sources[at]} ${size} ${mtimeMs}\n`);
  }
  return hash.digest("hex").slice(0, 16);
}

async function compile(entries, outdir) {
  const { build, stop } = await import("esbuild").catch(() => {
    refuse("its packages are not installed: run `npm ci` first.");
  });
  const options = {
    absWorkingDir: project,
    outdir,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    mainFields: ["module", "main"], // members of a CommonJS package are no exports of its file
    alias: { sst: "./infra/local/unlinked.mjs" },
    platform: "node",
    target: "node20",
    format: "esm",
    // Under the LGPL: stays a file of its own, which its users may replace. Only signatures load it.
    external: ["openpgp"],
    sourcemap: true,
    sourcesContent: false, // they lie beside it
    // Node keeps the text in memory, with two bytes a character once one of them is no Latin letter: comments are a
    // third of it and have such. Notices of licenses go to a file beside it.
    minifyWhitespace: true,
    legalComments: "external",
    logLevel: "silent", // failures are thrown
    // Some libraries are CommonJS inside and ask for node's modules by require.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
  };
  const packages = {};
  await build({ ...options, entryPoints: entries, plugins: [apart(packages)] });
  await build({ ...options, entryPoints: packages, splitting: true });
  await stop(); // ends the compiler's own process
}

/**
 * Leaves packages that our code imports where it uses them to entries of their own, which it adds to `packages`. The
 * SDK's clients stay in: they share most of their code, and each server uses them all.
 */
const apart = (packages) => ({
  name: "apart",
  setup(build) {
    build.onResolve({ filter: /^[a-z@]/ }, ({ path, kind, importer }) => {
      const isOurs = !importer.includes("node_modules");
      if (kind !== "dynamic-import" || !isOurs || /^(node:|@aws-sdk\/|openpgp$)/.test(path)) return undefined;
      packages[`packages/${path}`] = path;
      return { path: `./packages/${path}.mjs`, external: true };
    });
  },
});

/**
 * Running servers still load packages and threads from older folders: only week-old ones are removed, and the newest
 * stay whatever their age, since a server may have run for weeks before the next version is bundled beside it.
 */
async function removeOld() {
  const found = await Promise.all((await readdir(built)).map(agedFolder));
  const isOld = ({ modifiedAt }) => Date.now() - modifiedAt > keptMs;
  const newestFirst = found.filter(Boolean).sort((a, b) => b.modifiedAt - a.modifiedAt);
  const drafts = newestFirst.filter(({ isDraft }) => isDraft);
  const bundles = newestFirst.filter(({ isDraft }) => !isDraft);
  for (const { path } of [...drafts, ...bundles.slice(keptBundles)].filter(isOld))
    await rm(path, { recursive: true, force: true });
}

/** Undefined when another start has removed or renamed it meanwhile. */
async function agedFolder(name) {
  const path = join(built, name);
  const { mtimeMs: modifiedAt } = await stat(path).catch((error) => {
    if (error.code !== "ENOENT") throw error;
    return {};
  });
  return modifiedAt === undefined ? undefined : { path, modifiedAt, isDraft: name.startsWith(draftPrefix) };
}
