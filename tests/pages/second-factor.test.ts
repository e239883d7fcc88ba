import { beforeAll, describe, expect, it } from "vitest";
import { findUserById } from "#core/user/find";
import { changeOwnPassword } from "#core/user/own-password";
import { basic, type Caller } from "#tests/support/api";
import type { Browser, Shown } from "#tests/support/browser";
import { makeEnrolled } from "./enrolled.ts";
import { type PagesSite, startPages } from "./site.ts";

let site: PagesSite;
beforeAll(async () => {
  site = await startPages();
});

const enrolled = () => makeEnrolled(site.api);
const isSignedIn = (browser: Browser) => browser.cookies.has("coldforge_session");
const toCode = (browser: Browser, caller: Caller) => site.signIn(browser, caller, "/user/settings/sessions");

describe("/user/login/code", () => {
  it("asks for the code after the password, and lets in with it, or with a spare one", async () => {
    const { caller, now, spare } = await enrolled();
    for (const code of [now(), ` ${spare[0]} `]) {
      const browser = site.browser();
      const page = await toCode(browser, caller);
      expect([page.status, isSignedIn(browser)]).toEqual([200, false]);
      expect(page.text).toContain("<h1>Second factor</h1>");
      const answer = await browser.submit(page, { passcode: code });
      expect([answer.status, answer.location]).toEqual([303, "/user/settings/sessions"]);
      expect((await browser.get("/user/settings/sessions")).text).toContain(`Sessions of ${caller.name}`);
    }
  });

  it("403: takes no code twice, not even from the same address, nor one that Basic has taken", async () => {
    const { caller, now } = await enrolled();
    const address = "203.0.113.20";
    const [first, second] = [site.browser(address), site.browser(address)];
    const pages = [await toCode(first, caller), await toCode(second, caller)] as const;
    const code = now();
    expect((await first.submit(pages[0], { passcode: code })).status).toBe(303);
    expect((await second.submit(pages[1], { passcode: code })).status).toBe(403);
    site.api.clock.advance(60_000);
    const headers = { ...basic(caller.name, caller.password), "x-forgejo-otp": now() };
    expect((await site.api.call("GET", "/user", { headers, address })).status).toBe(200);
    expect((await second.submit(pages[1], { passcode: now() })).status).toBe(403);
    expect(isSignedIn(second)).toBe(false);
  });

  it("303 for one alone of many who send one code at the same time", async () => {
    const { caller, now } = await enrolled();
    const browsers = Array.from({ length: 4 }, () => site.browser("203.0.113.21"));
    const pages: Shown[] = [];
    for (const browser of browsers) pages.push(await toCode(browser, caller));
    const code = now();
    const answers = await Promise.all(
      browsers.map((browser, at) => browser.submit(pages[at] as Shown, { passcode: code })),
    );
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
  });

  it("429: gives wrong codes no more tries by the e-mail address than by the name", async () => {
    const { caller, now, wrong } = await enrolled();
    const address = "203.0.113.22";
    const owner = site.browser(address); // where the last right code came from, the account's own bound counts not
    expect((await owner.submit(await toCode(owner, caller), { passcode: now() })).status).toBe(303);
    const browser = site.browser(address);
    const page = await toCode(browser, caller);
    const [last, ...tries] = wrong(11);
    for (const passcode of tries) expect((await browser.submit(page, { passcode })).status).toBe(403);
    const other = await site.signIn(browser, { ...caller, name: `${caller.name}@example.com` });
    expect(other.text).toContain("<h1>Second factor</h1>");
    expect((await browser.submit(other, { passcode: last ?? "" })).status).toBe(429);
  });

  it("403: knows the ticket of the password in its own browser alone, for ten minutes, for this password", async () => {
    const { caller, now } = await enrolled();
    const [browser, thief] = [site.browser(), site.browser()];
    const page = await toCode(browser, caller);
    const ticket = page.forms[0]?.fields.ticket ?? "";
    const stolen = await thief.get("/user/login");
    const fields = { ...stolen.forms[0]?.fields, ticket, passcode: now() };
    expect((await thief.post("/user/login/code", fields)).status).toBe(403);
    const changed = ticket.replace(/.(?=.{9}$)/, (sign) => (sign === "A" ? "B" : "A"));
    expect((await browser.submit(page, { ticket: changed, passcode: now() })).status).toBe(403);
    site.api.clock.advance(600_000);
    expect((await browser.submit(page, { passcode: now() })).text).toContain("this took too long");
    const again = await toCode(browser, caller);
    const user = await findUserById(site.api.forge, caller.user.id);
    await changeOwnPassword(site.api.forge, user as never, "another-horse-7");
    expect((await browser.submit(again, { passcode: now() })).text).toContain("this took too long");
    expect(isSignedIn(browser)).toBe(false);
  });
});
