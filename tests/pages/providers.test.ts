import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { removeAccount } from "#core/account/remove";
import { findExternalUser, listExternalLogins } from "#core/external-login/external-login";
import { editUser } from "#core/user/edit";
import { findUserByName } from "#core/user/find";
import { basic } from "#tests/support/api";
import { Browser, type Shown } from "#tests/support/browser";
import { finishJobs } from "#tests/support/jobs";
import {
  clientId,
  clientSecret,
  startOpenIdProvider,
  type TestProvider,
} from "#tests/support/servers/openid-provider";
import { makeEnrolled } from "./enrolled.ts";
import { type PagesSite, startPages } from "./site.ts";

let first: TestProvider;
let second: TestProvider;
let site: PagesSite;
let people = 0;

const sourceOf = (name: string, { issuer }: TestProvider, more: object = {}) => ({
  ...{ name, issuer, client_id: clientId, client_secret: clientSecret, timeout_seconds: 20 },
  ...more,
});

beforeAll(async () => {
  [first, second] = [await startOpenIdProvider(), await startOpenIdProvider()];
  const sources = [
    sourceOf("work", first, { title: "Work & Co", auto_register: true }),
    sourceOf("club", second),
    sourceOf("work-by-hand", first, { skip_local_2fa: true }),
    sourceOf("work-in-haste", first, { timeout_seconds: 1 }),
  ];
  site = await startPages({
    OPENID_CONNECT_SOURCES: JSON.stringify(sources),
    OPENID_CONNECT_ALLOWED_HOST_LIST: "loopback",
  });
});
beforeEach(() => {
  people += 1;
  for (const provider of [first, second]) {
    provider.person = { sub: `person-${people}`, preferred_username: `guest${people}`, name: "A Guest" };
    provider.misbehavior = {};
    provider.asked.length = 0;
  }
  site.api.clock.advance(3_600_000); // what providers said of themselves is asked for anew
});

/** Goes to a provider and answers the address to come back to. */
async function visit(browser: Browser, source: string, goal = "/user/settings/sessions"): Promise<string> {
  const there = await browser.get(`/user/oauth2/${source}?${new URLSearchParams({ redirect_to: goal })}`);
  expect(there.status, there.text).toBe(303);
  const stranger = new Browser(site.url);
  return (await stranger.get(there.location ?? "")).location ?? "";
}
const come = async (browser: Browser, source: string, goal?: string): Promise<Shown> =>
  browser.get(await visit(browser, source, goal));
const whyNot = () =>
  JSON.stringify(site.api.logged.filter(({ message }) => message === "openid:login-failed"));
const isIn = (browser: Browser) => browser.cookies.has("coldforge_session");

describe("/user/oauth2/{source}", () => {
  it("makes an account at the first login and finds it by the subject at the next, whatever else has changed", async () => {
    first.person = { ...first.person, email: "guest@example.com", email_verified: true };
    const browser = site.browser();
    expect((await browser.get("/user/login")).text).toContain("Sign in with Work &amp; Co</a>");
    const answer = await come(browser, "WORK", "/user/settings/sessions?x=1");
    expect([answer.status, answer.location], whyNot()).toEqual([303, "/user/settings/sessions?x=1"]);
    expect((await browser.get("/user/settings/sessions")).text).toContain(`Sessions of guest${people}`);
    const made = await findUserByName(site.api.forge, `guest${people}`);
    expect(made).toMatchObject({
      email: "guest@example.com",
      fullName: "A Guest",
      loginSourceId: 2,
      passwordHash: "",
    });
    first.person = { sub: first.person.sub, preferred_username: "renamed", email: "other@example.com" };
    const again = site.browser();
    await come(again, "work");
    expect((await again.get("/user/settings/sessions")).text).toContain(`Sessions of guest${people}`);
    const headers = basic(`guest${people}`, "");
    expect((await site.api.call("GET", "/user", { headers })).status).toBe(401);
  });

  it("links nobody by address: they prove once by password whose account it is", async () => {
    const olga = await site.api.makeUser();
    first.person = { ...first.person, email: `${olga.name}@example.com`, email_verified: true };
    second.person = first.person;
    for (const source of ["work", "club"]) {
      const browser = site.browser();
      const page = await come(browser, source);
      expect([page.status === 303, isIn(browser)]).toEqual([false, false]);
      expect(page.text).toContain("Which account is yours?");
      const wrong = await browser.submit(page, { user_name: olga.name, password: "wrong-horse-1" });
      expect([wrong.status, isIn(browser)]).toEqual([403, false]);
      expect((await browser.submit(wrong, { user_name: olga.name, password: olga.password })).status).toBe(
        303,
      );
      const again = site.browser();
      await come(again, source);
      expect((await again.get("/user/settings/sessions")).text).toContain(`Sessions of ${olga.name}`);
    }
    expect(await listExternalLogins(site.api.forge, olga.user.id)).toHaveLength(2);
  });

  it("takes no address as verified by the word of who did not name it", async () => {
    first.person = { ...first.person, email: `own${people}@example.com`, email_verified: true };
    first.misbehavior = { claims: { email: `other${people}@example.com` } };
    await come(site.browser(), "work");
    const made = await findUserByName(site.api.forge, `guest${people}`);
    expect(made?.email).toContain("noreply");
  });

  it("comes back, if not to a place whose address no cookie can hold", async () => {
    const browser = site.browser();
    const answer = await come(browser, "work", `/login/oauth/authorize?state=${"x".repeat(4_000)}`);
    expect([answer.status, answer.location]).toEqual([303, "/user/settings/sessions"]);
    const cookies = (await browser.get(`/user/oauth2/work?redirect_to=/${"x".repeat(1_999)}`)).headers;
    expect(Math.max(...cookies.getSetCookie().map((line) => line.length))).toBeLessThan(4_096);
  });

  it("403: links nobody who may not log in, whatever code they show", async () => {
    const { caller, now } = await makeEnrolled(site.api);
    await editUser(site.api.forge, caller.user, { isLoginProhibited: true });
    const browser = site.browser();
    const form = await come(browser, "club");
    const code = await browser.submit(form, { user_name: caller.name, password: caller.password });
    expect((await browser.submit(code, { passcode: now() })).status).toBe(403);
    expect(await listExternalLogins(site.api.forge, caller.user.id)).toEqual([]);
  });

  it("asks for the second factor of the account, before a link too, unless the source is set to spare it", async () => {
    const { caller, now } = await makeEnrolled(site.api);
    const browser = site.browser();
    const page = await come(browser, "club");
    const code = await browser.submit(page, { user_name: caller.name, password: caller.password });
    expect([code.text.includes("Second factor"), isIn(browser)]).toEqual([true, false]);
    expect(await listExternalLogins(site.api.forge, caller.user.id)).toEqual([]);
    expect((await browser.submit(code, { passcode: now() })).status).toBe(303);
    site.api.clock.advance(60_000);
    const again = site.browser();
    const asked = await come(again, "club");
    expect([asked.text.includes("Second factor"), isIn(again)]).toEqual([true, false]);
    expect((await again.submit(asked, { passcode: now() })).status).toBe(303);
    site.api.clock.advance(60_000);
    const spared = site.browser();
    const form = await come(spared, "work-by-hand");
    const linked = await spared.submit(form, { user_name: caller.name, password: caller.password });
    await spared.submit(linked, { passcode: now() });
    const next = site.browser();
    expect([(await come(next, "work-by-hand")).status, isIn(next)]).toEqual([303, true]);
  });

  it("is shown to its user and ended by them; 422 for the only way into an account", async () => {
    const { forge } = site.api;
    const olga = await site.api.makeUser();
    const browser = site.browser();
    const form = await come(browser, "club");
    await browser.submit(form, { user_name: olga.name, password: olga.password });
    const page = await browser.get("/user/settings/sessions");
    expect(page.text).toContain(`<td>${second.person.sub}</td>`);
    const stranger = site.browser();
    await site.signIn(stranger, await site.api.makeUser());
    const theirs = await stranger.get("/user/settings/sessions");
    const { unlink = "" } = page.forms.at(-1)?.fields ?? {};
    await stranger.submit(theirs, { unlink });
    expect(await listExternalLogins(forge, olga.user.id)).toHaveLength(1);
    await browser.submit(page, {}, page.forms.length - 1);
    expect(await listExternalLogins(forge, olga.user.id)).toEqual([]);
    expect(
      await findExternalUser(forge, { issuer: second.issuer, subject: second.person.sub }),
    ).toBeUndefined();
    const made = site.browser();
    await come(made, "work");
    const only = await made.get("/user/settings/sessions");
    expect((await made.submit(only, {}, only.forms.length - 1)).status).toBe(422);
    const again = site.browser();
    expect((await come(again, "work")).status).toBe(303);
  });

  it("403: an account that may not log in; 404: no such source", async () => {
    await come(site.browser(), "work");
    const user = await findUserByName(site.api.forge, `guest${people}`);
    await editUser(site.api.forge, user as never, { isLoginProhibited: true });
    const browser = site.browser();
    expect([(await come(browser, "work")).status, isIn(browser)]).toEqual([403, false]);
    expect((await browser.get("/user/oauth2/nowhere")).status).toBe(404);
    expect((await browser.get("/user/oauth2/nowhere/callback?code=1&state=2")).status).toBe(404);
  });

  it("ends with its user: the login is nobody's afterwards, and may be linked anew", async () => {
    await come(site.browser(), "work");
    const { forge } = site.api;
    const login = { issuer: first.issuer, subject: first.person.sub };
    const user = await findExternalUser(forge, login);
    const boss = await site.api.makeUser({ isAdmin: true });
    await removeAccount(forge, { user: boss.user }, user as never);
    expect(await findExternalUser(forge, login)).toBeUndefined();
    await finishJobs(site.api);
    first.person = { ...first.person, preferred_username: `again${people}` };
    const browser = site.browser();
    expect([(await come(browser, "work")).status, isIn(browser)]).toEqual([303, true]);
  });
});

describe("/user/oauth2/{source}/callback", () => {
  const refused = async (browser: Browser, address: string) => {
    const answer = await browser.get(address);
    expect([answer.status, isIn(browser)]).toEqual([403, false]);
  };

  it("403: an answer twice, to another browser, to no login, or later than ten minutes", async () => {
    const browser = site.browser();
    const back = await visit(browser, "work");
    const copy = site.browser();
    for (const [name, value] of browser.cookies) copy.cookies.set(name, value);
    await refused(site.browser(), back);
    expect((await browser.get(back)).status).toBe(303);
    await refused(copy, back);
    const late = site.browser();
    const lateBack = await visit(late, "work");
    site.api.clock.advance(600_000);
    await refused(late, lateBack);
    await refused(late, "/user/oauth2/work/callback");
  });

  it("403: an answer for another source, and one of another issuer", async () => {
    const browser = site.browser();
    const back = new URL(await visit(browser, "work"));
    await refused(browser, `/user/oauth2/club/callback${back.search}`);
    await refused(browser, `/user/oauth2/work-by-hand/callback${back.search}`);
    first.misbehavior = { answerIssuer: second.issuer };
    await refused(browser, await visit(browser, "work"));
    first.misbehavior = {};
    const mixed = new URL(await visit(browser, "work"));
    mixed.searchParams.delete("iss");
    await refused(browser, mixed.href);
    expect(first.asked).not.toContain("/token");
    expect(second.asked).not.toContain("/token");
  });

  it.each([
    ["of another issuer", { claims: { iss: "https://other.example" } }],
    ["for another program", { claims: { aud: "somebody-else" } }],
    ["of another login", { claims: { nonce: "another" } }],
    ["of nobody", { claims: { sub: undefined } }],
    ["that is over", { claims: { exp: 1_000 } }],
    ["signed by another key", { isSignedByOther: true }],
  ])("403: a token %s", async (_what, misbehavior) => {
    const browser = site.browser();
    const back = await visit(browser, "work");
    first.misbehavior = misbehavior;
    await refused(browser, back);
    expect(await findUserByName(site.api.forge, `guest${people}`)).toBeUndefined();
  });

  it("503: a provider whose answer has 10 MB", async () => {
    const browser = site.browser();
    first.misbehavior = { endless: "/.well-known/openid-configuration" };
    expect((await browser.get("/user/oauth2/work")).status).toBe(503);
    first.misbehavior = {};
    const back = await visit(browser, "work");
    first.misbehavior = { endless: "/token" };
    const answer = await browser.get(back);
    expect([answer.status, answer.headers.get("retry-after"), isIn(browser)]).toEqual([503, "2", false]);
  });

  it("503: a provider that never answers, within the time of its source, while others sign in", async () => {
    first.misbehavior = { silent: "/.well-known/openid-configuration" };
    const waiting = site.browser().get("/user/oauth2/work-in-haste");
    await visit(site.browser(), "club");
    expect((await waiting).status).toBe(503);
  });

  it("asks no inner address, whatever a provider says of itself", async () => {
    const browser = site.browser();
    first.misbehavior = { metadata: { token_endpoint: "http://169.254.169.254/latest" } };
    expect((await browser.get(await visit(browser, "work"))).status).toBe(503);
    first.misbehavior = { metadata: { issuer: second.issuer } };
    site.api.clock.advance(3_600_000);
    expect((await browser.get("/user/oauth2/work")).status).toBe(403);
    first.misbehavior = { metadata: { authorization_endpoint: "javascript:alert(1)" } };
    site.api.clock.advance(3_600_000);
    expect((await browser.get("/user/oauth2/work")).status).toBeGreaterThanOrEqual(403);
  });

  it("409: one of two accounts alone gets a login that both link at once; of two first logins one makes the account", async () => {
    const { forge } = site.api;
    const callers = [await site.api.makeUser(), await site.api.makeUser()];
    const browsers = [site.browser(), site.browser()];
    const pages = [await come(browsers[0] as Browser, "club"), await come(browsers[1] as Browser, "club")];
    const answers = await Promise.all(
      browsers.map((browser, at) =>
        browser.submit(pages[at] as Shown, {
          user_name: callers[at]?.name ?? "",
          password: callers[at]?.password ?? "",
        }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 409]);
    const links = await Promise.all(callers.map(({ user }) => listExternalLogins(forge, user.id)));
    expect(links.flat()).toHaveLength(1);
    const both = [site.browser(), site.browser()];
    const backs = [await visit(both[0] as Browser, "work"), await visit(both[1] as Browser, "work")];
    const came = await Promise.all(both.map((browser, at) => browser.get(backs[at] ?? "")));
    expect(came.map(({ status }) => status)).toEqual([303, 303]);
    const user = await findUserByName(forge, `guest${people}`);
    expect(await listExternalLogins(forge, user?.id ?? 0)).toHaveLength(1);
  });
});
