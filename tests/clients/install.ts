import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "coldforge-clients");

/**
 * Installs a package outside the project, once, and runs none of its scripts; answers the path of a file of its
 * `node_modules`.
 */
export async function installFromNpm(name: string, version: string, file: string): Promise<string> {
  const folder = join(cache, `${name}-${version}`);
  const path = join(folder, "node_modules", file);
  if (existsSync(path)) return path;
  console.log(`installing ${name}@${version} into ${folder}`);
  mkdirSync(cache, { recursive: true });
  const draft = mkdtempSync(join(cache, "installing-"));
  const flags = ["--ignore-scripts", "--omit=dev", "--no-audit", "--no-fund"];
  try {
    await promisify(execFile)("npm", ["install", "--prefix", draft, ...flags, `${name}@${version}`], {
      cwd: draft,
    });
    rmSync(folder, { recursive: true, force: true });
    renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return path;
}
