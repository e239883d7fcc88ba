import { equal } from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { playLogins } from "./login-story.ts";

/** The client that the service knows git-credential-oauth by, without a registration. */
const clientId = "a4792ccc-144e-407e-86c9-5e7d8d9c3269";

/** Has git clone and push a private repository with what git-credential-oauth gets it, and nothing else. */
export const playGitCredential = (project: string, program: string): Promise<void> =>
  playLogins(project, async ({ server, browser, folder }) => {
    const checkout = join(folder, "by-browser");
    const config = {
      "credential.helper": program,
      [`credential.${server.url}.oauthClientId`]: clientId,
      [`credential.${server.url}.oauthAuthURL`]: "/login/oauth/authorize",
      [`credential.${server.url}.oauthTokenURL`]: "/login/oauth/access_token",
      ...{ "user.name": "Alice", "user.email": "alice@example.com" },
    };
    // The helper reads its settings by `git config`, so they are handed on in the environment.
    const given = Object.fromEntries(
      Object.entries(config).flatMap(([name, value], at) => [
        [`GIT_CONFIG_KEY_${at}`, name],
        [`GIT_CONFIG_VALUE_${at}`, value],
      ]),
    );
    const env = {
      ...{ ...process.env, ...browser.environment, HOME: folder, GIT_TERMINAL_PROMPT: "0" },
      ...{ ...given, GIT_CONFIG_COUNT: String(Object.keys(config).length) },
    };
    const git = async (...words: string[]) => (await promisify(execFile)("git", words, { env })).stdout;
    await git("clone", "-q", `${server.url}/alice/tale.git`, checkout);
    console.log("ok: clones a private repository after a login in the browser");
    await git("-C", checkout, "commit", "-q", "--allow-empty", "-m", "More");
    await git("-C", checkout, "push", "-q");
    const head = await git("-C", checkout, "rev-parse", "HEAD");
    equal((await git("-C", checkout, "ls-remote", "origin", "refs/heads/main")).slice(0, 40), head.trim());
    console.log("ok: pushes to it");
  });
