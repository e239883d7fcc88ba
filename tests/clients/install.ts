import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "coldforge-clients");

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
