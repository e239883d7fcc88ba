import { deepEqual, equal } from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { mintToken, startServer } from "../support/process/server-process.ts";

const run = promisify(execFile);

/** What the suite expects of its installation. */
const account = { name: "TestingAdmin", password: "password" };
const installation = {
  ADMIN_USER: account.name,
  ADMIN_PASSWORD: account.password,
  ADMIN_EMAIL: "admin@noreply.example.org",
};

/** Names of tests that can't hold here, each with why. */
const failing: Readonly<Record<string, string>> = {
  oauth2_login: "it sends Forgejo's form of signing in, without having been given one",
};

/**
 * Runs the own suite of the Rust crate forgejo-api, compiled to the programs of a folder, in their order, each test in a
 * process of its own: those that `failing` names fail, and no others.
 */
export async function playForgejoApi(project: string, programs: string): Promise<void> {
  const server = await startServer({ project, environment: installation, token: "unused" });
  const folder = mkdtempSync(join(tmpdir(), "coldforge-client-"));
  try {
    const env = {
      ...process.env,
      RUST_BACKTRACE: "0",
      HOME: folder, // it sets git's settings for its user
      FORGEJO_API_CI_INSTANCE_URL: `${server.url}/`,
      FORGEJO_API_CI_TOKEN: await mintToken(server.url, account),
    };
    const failed: string[] = [];
    let played = 0;
    for (const name of readdirSync(programs).sort()) {
      const program = join(programs, name);
      const { stdout } = await run(program, ["--list", "--format", "terse"], { env });
      for (const [, test = ""] of stdout.matchAll(/^(\S+): test$/gm)) {
        played += 1;
        const output = await run(program, ["--exact", test], { env, cwd: folder }).then(
          () => undefined,
          (error: { readonly stdout?: string }) => error.stdout ?? "",
        );
        if (output === undefined) continue;
        failed.push(test);
        if (failing[test] === undefined) console.error(output);
      }
    }
    console.log(`ok: ${played - failed.length} of ${played} tests pass`);
    deepEqual(failed.sort(), Object.keys(failing).sort(), "tests that fail");
    equal(/"level":"error".*/.exec(server.output())?.[0], undefined);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
