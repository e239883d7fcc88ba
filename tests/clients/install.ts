import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";

const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "coldforge-clients");

/** Builds the Go program in a folder of the project, once for each state of its sources; answers its path. */
export async function buildGo(folder: string): Promise<string> {
  const hash = createHash("sha256");
  for (const name of readdirSync(folder).sort()) hash.update(readFileSync(join(folder, name)));
  const program = join(cache, `${basename(folder)}-${hash.digest("hex").slice(0, 16)}`);
  if (existsSync(program)) return program;
  console.log(`building ${folder}`);
  const draft = `${program}-${process.pid}`;
  await promisify(execFile)("go", ["build", "-o", draft, "."], { cwd: folder });
  renameSync(draft, program);
  return program;
}

/** Compiles the tests that a Go module, such as `code.gitea.io/sdk/gitea@v0.22.1`, has of itself, once; answers their path. */
export async function buildGoTests(module: string): Promise<string> {
  const program = join(cache, `${module.replaceAll("/", "-")}.test`);
  if (existsSync(program)) return program;
  console.log(`compiling the tests of ${module}`);
  mkdirSync(cache, { recursive: true });
  const draft = mkdtempSync(join(cache, "installing-"));
  const go = (args: readonly string[], cwd: string) => promisify(execFile)("go", args, { cwd });
  try {
    const { stdout } = await go(["mod", "download", "-json", module], draft);
    const sources = join(draft, "sources");
    cpSync(JSON.parse(stdout).Dir, sources, { recursive: true });
    await go(["test", "-c", "-o", join(draft, "suite"), "."], sources);
    renameSync(join(draft, "suite"), program);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return program;
}

/** Installs a package, such as `schemathesis==4.32.5`, with Python's own tools, once; answers the path of its program. */
export async function installFromPyPi(requirement: string, program: string): Promise<string> {
  const folder = join(cache, requirement);
  const path = join(folder, "bin", program);
  if (existsSync(path)) return path;
  console.log(`installing ${requirement} into ${folder}`);
  const run = promisify(execFile);
  await run("python3", ["-m", "venv", "--clear", folder]);
  try {
    await run(join(folder, "bin", "pip"), ["install", "--quiet", "--only-binary", ":all:", requirement]);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  return path;
}

/**
 * Installs packages, such as `renovate@39.264.1`, together and outside the project, once, and runs none of their
 * scripts; answers the path of a file of their `node_modules`.
 */
export async function installFromNpm(packages: readonly string[], file: string): Promise<string> {
  const folder = join(cache, packages.join("+").replaceAll("/", "-").replace(/\b@/g, "-"));
  const path = join(folder, "node_modules", file);
  if (existsSync(path)) return path;
  console.log(`installing ${packages.join(" ")} into ${folder}`);
  mkdirSync(cache, { recursive: true });
  const draft = mkdtempSync(join(cache, "installing-"));
  const flags = ["--ignore-scripts", "--omit=dev", "--no-audit", "--no-fund"];
  try {
    await promisify(execFile)("npm", ["install", "--prefix", draft, ...flags, ...packages], { cwd: draft });
    rmSync(folder, { recursive: true, force: true });
    renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return path;
}
