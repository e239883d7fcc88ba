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
import { basename, dirname, join } from "node:path";
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

interface GoModule {
  /** As `code.gitea.io/sdk/gitea@v0.22.1`. */
  readonly module: string;
  /** The folder of the package in it. */
  readonly package?: string;
  readonly tags?: string;
}

/** Compiles the tests that a Go module has of itself, once; answers their path. */
export const buildGoTests = (what: GoModule): Promise<string> =>
  buildGoModule(what, ["test", "-c"], `${nameOf(what)}.test`);

/** Builds a program of a Go module, once; answers its path. */
export const buildGoProgram = (what: GoModule): Promise<string> =>
  buildGoModule(what, ["build"], nameOf(what));

const nameOf = ({ module }: GoModule): string => module.replaceAll("/", "-");

/** Builds as the module itself says, with the versions that its own file names. */
async function buildGoModule(what: GoModule, command: readonly string[], name: string): Promise<string> {
  const program = join(cache, name);
  if (existsSync(program)) return program;
  console.log(`building ${name}`);
  mkdirSync(cache, { recursive: true });
  const draft = mkdtempSync(join(cache, "installing-"));
  const go = (args: readonly string[], cwd: string) => promisify(execFile)("go", args, { cwd });
  try {
    const { stdout } = await go(["mod", "download", "-json", what.module], draft);
    const sources = join(draft, "sources");
    cpSync(JSON.parse(stdout).Dir, sources, { recursive: true });
    const tags = what.tags === undefined ? [] : ["-tags", what.tags];
    const built = join(draft, "built");
    await go([...command, ...tags, "-o", built, `./${what.package ?? ""}`], sources);
    renameSync(built, program);
  } finally {
    await promisify(execFile)("chmod", ["-R", "u+w", draft]);
    rmSync(draft, { recursive: true, force: true });
  }
  return program;
}

/** Fetches a package of Debian and unpacks it outside the system, once; answers the path of a file of it. */
export async function installFromDebian(name: string, file: string): Promise<string> {
  const folder = join(cache, `debian-${name}`);
  const path = join(folder, file);
  if (existsSync(path)) return path;
  console.log(`fetching Debian's ${name} into ${folder}`);
  mkdirSync(cache, { recursive: true });
  const draft = mkdtempSync(join(cache, "installing-"));
  const run = promisify(execFile);
  try {
    await run("apt-get", ["download", "-q", name], { cwd: draft });
    const [archive = ""] = readdirSync(draft);
    await run("dpkg-deb", ["-x", join(draft, archive), folder]);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return path;
}

/** Installs packages, such as `schemathesis==4.32.5`, with Python's own tools, once; answers the path of a program. */
export async function installFromPyPi(requirements: readonly string[], program: string): Promise<string> {
  const folder = join(cache, requirements.join("+"));
  const path = join(folder, "bin", program);
  if (existsSync(path)) return path;
  console.log(`installing ${requirements.join(" ")} into ${folder}`);
  const run = promisify(execFile);
  await run("python3", ["-m", "venv", "--clear", folder]);
  try {
    await run(join(folder, "bin", "pip"), ["install", "--quiet", "--only-binary", ":all:", ...requirements]);
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

/** Builds a program of crates.io, such as `forgejo-cli@0.7.0`, as its author locked it, once; answers its path. */
export async function installFromCrates(crate: string, program: string): Promise<string> {
  const folder = join(cache, `crate-${crate}`);
  const path = join(folder, "bin", program);
  if (existsSync(path)) return path;
  console.log(`building ${crate}`);
  await cargo(["install", crate, "--locked", "--root", folder], homedir());
  return path;
}

/** Compiles the tests that a crate has of itself, once; answers the folder with a program for each of their files. */
export async function buildCrateTests(name: string, version: string): Promise<string> {
  const folder = join(cache, `crate-${name}@${version}-tests`);
  if (existsSync(folder)) return folder;
  console.log(`building the tests of ${name} ${version}`);
  mkdirSync(cache, { recursive: true });
  const draft = mkdtempSync(join(cache, "installing-"));
  try {
    await cargo(["init", "--bin", "--name", "holder", "."], draft);
    await cargo(["add", `${name}@=${version}`], draft);
    const { packages } = JSON.parse(await cargo(["metadata", "--format-version", "1"], draft));
    const manifest = packages.find((one: { name: string }) => one.name === name).manifest_path;
    const sources = join(draft, "sources");
    cpSync(dirname(manifest), sources, { recursive: true });
    const built = await cargo(["test", "--no-run", "--tests", "--message-format", "json"], sources);
    const programs = join(draft, "programs");
    mkdirSync(programs);
    for (const line of built.trim().split("\n")) {
      const { executable, target } = JSON.parse(line);
      if (executable && target.kind.includes("test")) cpSync(executable, join(programs, target.name));
    }
    renameSync(programs, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return folder;
}

async function cargo(words: readonly string[], cwd: string): Promise<string> {
  const { stdout } = await promisify(execFile)("cargo", words, { cwd, maxBuffer: 2 ** 28 });
  return stdout;
}
