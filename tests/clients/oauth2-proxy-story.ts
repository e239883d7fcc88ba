import { deepEqual, equal } from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Browser } from "../support/browser.ts";
import { freePort } from "../support/process/server-process.ts";
import { type LoginWorld, playLogins, registerProgram } from "./login-story.ts";

/** What a provider of the proxy is told beside the client, and what it then knows of alice. */
interface Way {
  readonly title: string;
  readonly flags: (url: string) => readonly string[];
  readonly known: object;
}

const alice = { email: "alice@example.com", preferredUsername: "alice" };
const ways: readonly Way[] = [
  {
    title: "OpenID Connect: discovery, PKCE, and only who is in a team may pass",
    flags: (url) => [
      ...["--provider=oidc", `--oidc-issuer-url=${url}`, "--code-challenge-method=S256"],
      ...["--scope=openid profile email groups", "--allowed-group=deployers:Owners"],
    ],
    known: { ...alice, groups: ["deployers", "deployers:Owners"] },
  },
  {
    title:
      "GitHub's with addresses of this forge, as the proxy's documents say for Gitea; only an organization may pass",
    flags: (url) => [
      ...["--provider=github", "--github-org=deployers", "--scope=read:user read:organization"],
      ...[`--login-url=${url}/login/oauth/authorize`, `--redeem-url=${url}/login/oauth/access_token`],
      `--validate-url=${url}/api/v1/user/emails`,
    ],
    known: { user: "alice", email: "alice@example.com" },
  },
];

/** Has people log in to a page that the proxy guards, in each of its ways. */
export const playOAuth2Proxy = (project: string, program: string): Promise<void> =>
  playLogins(project, async (world) => {
    for (const way of ways) {
      await logIn(world, program, way);
      console.log(`ok: ${way.title}`);
    }
  });

async function logIn(world: LoginWorld, program: string, { flags, known }: Way): Promise<void> {
  const address = `127.0.0.1:${await freePort()}`;
  const redirect = `http://${address}/oauth2/callback`;
  const { client_id, client_secret } = await registerProgram(world, redirect);
  const proxy = spawn(
    program,
    [
      ...[`--http-address=${address}`, `--redirect-url=${redirect}`, "--upstream=static://200"],
      ...[`--client-id=${client_id}`, `--client-secret=${client_secret}`, "--email-domain=*"],
      ...["--cookie-secret=0123456789abcdef0123456789abcdef", "--cookie-secure=false"],
      ...flags(world.server.url),
    ],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  let said = "";
  proxy.stderr.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  try {
    const browser = new Browser(`http://${address}`);
    await answers(`http://${address}/ping`);
    equal((await browser.get("/")).status, 403);
    const begun = await browser.get("/oauth2/start?rd=%2F");
    const back = await world.browser.visit(begun.location ?? "");
    const entered = await browser.get(back);
    deepEqual([entered.status, entered.location], [302, "/"], `${entered.text}\n${said}`);
    equal((await browser.get("/")).status, 200);
    const user = JSON.parse((await browser.get("/oauth2/userinfo")).text);
    deepEqual({ ...user, ...known }, user, said);
  } finally {
    proxy.kill();
    if (proxy.exitCode === null) await once(proxy, "exit");
  }
}

async function answers(address: string): Promise<void> {
  for (const end = Date.now() + 60_000; Date.now() < end; ) {
    if (
      await fetch(address).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`${address} did not answer within a minute`);
}
