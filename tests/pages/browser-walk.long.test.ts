import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { unsubscribeLink } from "#core/mail/links";
import { makeChallenge, type Provider, startProvider, tea } from "#tests/oauth2/provider";
import type { Caller } from "#tests/support/api";
import {
  accessFindings,
  colorRules,
  madeUpHost,
  overflow,
  startChromium,
  type Tab,
} from "#tests/support/chromium";
import { clientId, clientSecret, startOpenIdProvider } from "#tests/support/servers/openid-provider";
import { startPathProxy } from "#tests/support/servers/path-proxy";
import { selfSigned } from "#tests/support/servers/receiver";
import { onFileFinished } from "#tests/support/suite/file-end";
import { makeEnrolled } from "./enrolled.ts";
import { startPages } from "./site.ts";

type OpenTab = Awaited<ReturnType<typeof startChromium>>;

let openTab: OpenTab;
beforeAll(async () => {
  openTab = await startChromium();
});

const sessions = "/user/settings/sessions";
const narrow = { viewport: { width: 320, height: 640 } };
const headingOf = ({ page }: Tab) => page.locator("h1").textContent();

/** Every page has to be usable by all, in the light and in the dark, and at the width of a small phone. */
async function expectUsable({ page, problems }: Tab): Promise<void> {
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await accessFindings(page, "html", colorRules)).toEqual([]);
  await page.emulateMedia({ colorScheme: "light" });
  expect({ at: page.url(), found: await accessFindings(page), wide: await overflow(page) }).toEqual({
    ...{ at: page.url(), found: [], wide: 0 },
  });
  expect(problems).toEqual([]);
}

/** Signs in by the keyboard alone: the field for the name has the focus. */
async function signIn({ page }: Tab, name: string, password: string): Promise<void> {
  await page.locator("input:focus").waitFor();
  await page.keyboard.type(name);
  await page.keyboard.press("Tab");
  await page.keyboard.type(password);
  await sent(page, () => page.keyboard.press("Enter"));
}

/** Does what sends a form, and waits for the page that answers. */
async function sent(page: Page, act: () => Promise<void>): Promise<void> {
  const loaded = page.waitForEvent("load");
  await act();
  await loaded;
}

/** A program on this machine, to which browsers are sent back; it sends them on to a page of its own elsewhere. */
async function startProgram() {
  const seen: URL[] = [];
  const server = createServer((request, response) => {
    const { host = "", url = "/" } = { ...request.headers, url: request.url };
    const asked = new URL(url, `http://${host}`);
    seen.push(asked);
    if (asked.pathname === "/done") response.end("<!doctype html><title>Done</title><h1>Done</h1>");
    else response.writeHead(302, { location: `http://localhost:${asked.port}/done` }).end();
  });
  await once(server.listen(0, "localhost"), "listening");
  onFileFinished(() => server.closeAllConnections());
  onFileFinished(() => server.close());
  const { port } = server.address() as AddressInfo;
  const redirectUri = `http://localhost:${port}/callback`;
  return {
    redirectUri,
    answer: () => Object.fromEntries(seen.find((url) => url.pathname === "/callback")?.searchParams ?? []),
  };
}

describe.each([
  ["at the root of its host", ""],
  ["below a path of its host (ROOT_URL)", "/git"],
])("the pages in a real browser, %s", (_title, path) => {
  let site: Provider;
  let alice: Caller;
  beforeAll(async () => {
    site = await startProvider({}, await startPathProxy(path));
    alice = await site.api.makeUser({ name: "alice" });
  });

  it("lead from what was asked for to the login, tell a wrong password, end sessions, and sign out", async () => {
    const tab = await openTab(narrow);
    const { page, context } = tab;
    await page.goto(site.url + sessions);
    expect(await headingOf(tab)).toBe("Sign in");
    await expectUsable(tab);
    await signIn(tab, "alice", "wrong");
    expect(await page.getByRole("alert").textContent()).toBe("The name or the password is wrong.");
    await expectUsable(tab);
    await page.locator("input[type=password]:focus").waitFor(); // the name is kept
    await page.keyboard.type(alice.password);
    await sent(page, () => page.keyboard.press("Enter"));
    expect(page.url()).toBe(site.url + sessions);
    expect(await headingOf(tab)).toBe("Sessions of alice");
    const [cookie] = (await context.cookies()).filter(({ name }) => name.includes("session"));
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Lax", path: "/" });

    const elsewhere = await openTab();
    await elsewhere.page.goto(site.url + sessions);
    await signIn(elsewhere, "alice", alice.password);
    expect(await headingOf(elsewhere)).toBe("Sessions of alice");
    await page.reload();
    await expectUsable(tab);
    await sent(page, () => page.getByRole("button", { name: /^End the session of/ }).press("Enter"));
    expect(await page.getByRole("row").count()).toBe(2);
    await elsewhere.page.reload();
    expect(await headingOf(elsewhere)).toBe("Sign in");

    await page.goto(`${site.url}/user/logout`);
    await expectUsable(tab);
    await page.getByRole("button", { name: "Sign out" }).press("Enter");
    await page.waitForURL(`${site.url}/user/login`);
    await page.goBack();
    await page.goto(site.url + sessions);
    expect(await headingOf(tab)).toBe("Sign in");
    expect(tab.origins).toEqual(new Set([new URL(site.url).origin]));
  });

  it("ask for the second factor: not with a wrong code, but with the right one", async () => {
    const { caller, now, wrong } = await makeEnrolled(site.api);
    const tab = await openTab(narrow);
    await tab.page.goto(site.url + sessions);
    await signIn(tab, caller.name, caller.password);
    expect(await headingOf(tab)).toBe("Second factor");
    await expectUsable(tab);
    for (const [code, heading] of [
      [wrong(1).join(), "Second factor"],
      [now(), `Sessions of ${caller.name}`],
    ] as const) {
      await tab.page.locator("input:focus").waitFor();
      await tab.page.keyboard.type(code);
      await sent(tab.page, () => tab.page.keyboard.press("Enter"));
      expect(await headingOf(tab)).toBe(heading);
      await expectUsable(tab);
    }
  });

  it("ask for consent to a program, and lead there and on from there with a code, or with a refusal", async () => {
    for (const [button, agreed] of [
      ["Don't", false],
      ["Let it", true],
    ] as const) {
      const program = await startProgram();
      const { redirectUri } = program;
      const app = await site.register(alice, { name: "ci", redirect_uris: [redirectUri] });
      const { verifier, challenge } = makeChallenge();
      const query = new URLSearchParams({
        ...{ client_id: app.client_id, redirect_uri: redirectUri, response_type: "code", state: "s" },
        ...{ scope: "openid read:user", code_challenge: challenge, code_challenge_method: "S256" },
      });
      const tab = await openTab(narrow);
      const { page } = tab;
      await page.goto(`${site.url}/login/oauth/authorize?${query}`);
      await signIn(tab, "alice", alice.password);
      await page.getByRole("heading", { name: "Let ci act for you?" }).waitFor();
      await expectUsable(tab);
      await page.getByRole("button", { name: button, exact: true }).press("Enter");
      await page.getByRole("heading", { name: "Done" }).waitFor();
      expect(tab.problems).toEqual([]);
      const { code = "", ...rest } = program.answer();
      expect(rest).toMatchObject({
        state: "s",
        iss: site.url,
        ...(agreed ? {} : { error: "access_denied" }),
      });
      const { client_id, client_secret } = app;
      const tokens = await site.post("/login/oauth/access_token", {
        ...{ grant_type: "authorization_code", code, redirect_uri: redirectUri, client_id, client_secret },
        code_verifier: verifier,
      });
      expect(tokens.status).toBe(agreed ? 200 : 400);
      await page.goto(`${site.url}/user/settings/applications`);
      expect(await page.getByRole("button", { name: /^Take it back/ }).count()).toBe(agreed ? 1 : 0);
      await expectUsable(tab);
    }
  });
});

describe("the pages that few people see, in a real browser", () => {
  it("link an account, ask for consent to a program on the user's machine, refuse, and end mail", async () => {
    const club = await startOpenIdProvider();
    const { issuer } = club;
    const source = { name: "club", issuer, client_id: clientId, client_secret: clientSecret };
    const site = await startPages({
      OPENID_CONNECT_SOURCES: JSON.stringify([{ ...source, timeout_seconds: 20 }]),
      OPENID_CONNECT_ALLOWED_HOST_LIST: "loopback",
    });
    const alice = await site.api.makeUser({ name: "alice" });
    const tab = await openTab(narrow);
    const { page } = tab;
    const { challenge } = makeChallenge();
    const query = new URLSearchParams({
      ...{ client_id: tea, redirect_uri: "http://127.0.0.1/", response_type: "code" },
      ...{ scope: "openid", code_challenge: challenge, code_challenge_method: "S256" },
    });
    await page.goto(`${site.url}/login/oauth/authorize?${query}`);
    await page.getByRole("link", { name: "Sign in with club" }).press("Enter");
    await page.getByRole("heading", { name: "Which account is yours?" }).waitFor();
    await expectUsable(tab);
    await signIn(tab, "alice", "wrong");
    expect(await page.getByRole("alert").textContent()).toBe("The name or the password is wrong.");
    await expectUsable(tab);
    await signIn(tab, "alice", alice.password);
    await page.getByRole("heading", { name: "Let tea act for you?" }).waitFor();
    expect(await page.getByRole("main").textContent()).toContain("a program on your own machine");
    await expectUsable(tab);

    const refused = "There is no program of this client_id.";
    await page.goto(`${site.url}/login/oauth/authorize?client_id=none`);
    expect(await page.getByRole("alert").textContent()).toBe(refused);
    await expectUsable(tab);

    await page.goto(unsubscribeLink(site.api.forge, alice.user.id));
    expect(await headingOf(tab)).toBe("Stop mail of notifications?");
    await expectUsable(tab);
    await sent(page, () => page.getByRole("button", { name: "Stop the mail" }).press("Enter"));
    expect(await headingOf(tab)).toBe("The mail is stopped");
    await expectUsable(tab);
  });
});

describe("login through another site over https, in a real browser", () => {
  it.each([
    ["each at the root of its host", "", ""],
    ["each below a path of its host (ROOT_URL)", "/git", "/code/forge"],
  ])("leads there, asks for consent, and comes back signed in: %s", async (_title, there, here) => {
    const provider = await startProvider({}, await startPathProxy(there));
    provider.api.clock.set(Date.now()); // programs check its tokens by the time of day
    const bob = await provider.api.makeUser({ name: "bob" });
    const proxy = await startPathProxy(here, { host: madeUpHost, tls: selfSigned });
    const { client_id, client_secret } = await provider.register(bob, {
      name: "Second forge",
      redirect_uris: [`${proxy.url}/user/oauth2/ours/callback`],
    });
    const source = {
      ...{ name: "ours", issuer: provider.url, client_id, client_secret, auto_register: true },
      timeout_seconds: 20, // it makes its first signing key while it is asked, however busy the machine is
    };
    const site = await startPages(
      {
        OPENID_CONNECT_SOURCES: JSON.stringify([source]),
        OPENID_CONNECT_ALLOWED_HOST_LIST: "loopback",
      },
      proxy,
    );
    const tab = await openTab(narrow);
    const { page, context } = tab;
    await page.goto(site.url + sessions);
    await expectUsable(tab);
    await page.getByRole("link", { name: "Sign in with ours" }).press("Enter");
    await page.waitForURL(`${provider.url}/user/login?**`);
    await signIn(tab, "bob", bob.password);
    await page.getByRole("button", { name: "Let it", exact: true }).press("Enter");
    await page.waitForURL(site.url + sessions);
    expect(await headingOf(tab)).toBe("Sessions of bob");
    await expectUsable(tab);
    const [session] = (await context.cookies(site.url)).filter(({ name }) =>
      name.includes("coldforge_session"),
    );
    expect(session).toMatchObject({ secure: true, domain: madeUpHost, path: "/" });
    expect(session?.name).toBe(`__Host-coldforge_session${here.replaceAll("/", "_")}`);
  });
});
