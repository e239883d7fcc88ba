import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Browser } from "#tests/support/browser";
import { broughtBack, makeChallenge, type Provider, startProvider } from "./provider.ts";

const run = promisify(execFile);
const documented = "https://forge.example.org";

let provider: Provider;
let browser: Browser;
let folder: string;
let page: string;
beforeAll(async () => {
  provider = await startProvider();
  browser = await provider.signedIn(await provider.api.makeUser({ name: "alice" }));
  folder = await mkdtemp(join(tmpdir(), "oauth2-git-config-"));
  page = await readFile(new URL("../../docs/oauth2.md", import.meta.url), "utf8");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What git knows of this forge's credentials once the lines of one block of the page were run. */
async function configuredBy(helper: string): Promise<Record<string, string>> {
  const block = page.split("```sh\n").find((text) => text.includes(`credential.helper ${helper}\n`)) ?? "";
  const script = block.split("```")[0]?.replaceAll(documented, provider.url) ?? "";
  const file = join(folder, helper);
  await writeFile(file, "");
  const env = { ...process.env, GIT_CONFIG_GLOBAL: file, GIT_CONFIG_NOSYSTEM: "1" };
  await run("sh", ["-ec", script], { env });
  const { stdout } = await run("git", ["config", "--get-urlmatch", "credential", `${provider.url}/a/b.git`], {
    env,
    cwd: folder,
  });
  const pairs = stdout.split("\n").filter(Boolean);
  return Object.fromEntries(pairs.map((line) => line.slice("credential.".length).split(/ (.*)/, 2)));
}

describe("the lines of docs/oauth2.md for git", () => {
  it.each([
    { helper: "oauth", authorize: "oauthauthurl", token: "oauthtokenurl" },
    { helper: "manager", authorize: "oauthauthorizeendpoint", token: "oauthtokenendpoint" },
  ])("$helper: git reads them, and they lead through a login to a token", async (names) => {
    const known = await configuredBy(names.helper);
    expect(known.helper).toBe(names.helper);
    const { verifier, challenge } = makeChallenge();
    const redirect_uri = "http://127.0.0.1:54321";
    const client_id = known.oauthclientid ?? "";
    const asked = new URLSearchParams({
      ...{ client_id, redirect_uri, response_type: "code", scope: known.oauthscopes ?? "" },
      ...{ code_challenge: challenge, code_challenge_method: "S256" },
    });
    const consent = await browser.get(`${known[names.authorize]}?${asked}`);
    const { code = "" } = broughtBack(await browser.submit(consent, { granted: "true" }), redirect_uri);
    const { status, json } = await provider.post(known[names.token] ?? "", {
      ...{ grant_type: "authorization_code", code, client_id, redirect_uri, code_verifier: verifier },
    });
    expect([status, json.token_type]).toEqual([200, "bearer"]);
  });
});
