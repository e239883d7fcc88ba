import { execFile } from "node:child_process";
import { promisify } from "node:util";

export interface Renovate {
  readonly platform: "gitea" | "forgejo";
  /** The program and its first arguments. */
  readonly command: readonly string[];
}

export interface RenovateRun {
  readonly url: string;
  readonly token: string;
  readonly repository: string;
  /** Keeps its checkouts and its cache for the next run. */
  readonly folder: string;
  /** What it proposes as the repository's configuration. */
  readonly onboarding: object;
}

/** Runs Renovate once; throws when it fails, and with its warnings when it gives any. */
export async function runRenovate({ platform, command }: Renovate, run: RenovateRun): Promise<void> {
  const [program = "", ...first] = command;
  const { stdout } = await promisify(execFile)(program, [...first, run.repository], {
    cwd: run.folder,
    env: {
      PATH: process.env.PATH,
      HOME: run.folder,
      LOG_LEVEL: "warn",
      LOG_FORMAT: "json",
      RENOVATE_X_IGNORE_RE2: "true", // native code, which its installation would have to build
      RENOVATE_PLATFORM: platform,
      RENOVATE_ENDPOINT: `${run.url}/api/v1/`,
      RENOVATE_TOKEN: run.token,
      RENOVATE_BASE_DIR: run.folder,
      RENOVATE_REPOSITORY_CACHE: "enabled",
      RENOVATE_CACHE_TTL_OVERRIDE: JSON.stringify({ "datasource-git": 0, "datasource-git-tags": 0 }),
      RENOVATE_ONBOARDING_CONFIG: JSON.stringify(run.onboarding),
    },
  });
  const warnings = stdout.split("\n").filter((line) => line !== "");
  if (warnings.length > 0) throw new Error(`Renovate warns: ${warnings.join("\n")}`);
}
