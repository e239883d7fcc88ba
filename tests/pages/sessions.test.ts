import { beforeAll, describe, expect, it } from "vitest";
import { removeAccount } from "#core/account/remove";
import { listSessions, openSession } from "#core/session/session";
import { editUser } from "#core/user/edit";
import { findUserById } from "#core/user/find";
import { changeOwnPassword } from "#core/user/own-password";
import type { Caller } from "#tests/support/api";
import type { Browser } from "#tests/support/browser";
import { type PagesSite, startPages } from "./site.ts";

let site: PagesSite;
beforeAll(async () => {
  site = await startPages({ SESSION_LIFE_TIME: "86400", LOGIN_REMEMBER_DAYS: "3" });
});

const path = "/user/settings/sessions";
const isIn = async (browser: Browser) => (await browser.get(path)).status === 200;

async function signedIn(caller: Caller, times = 1): Promise<Browser[]> {
  const browsers = Array.from({ length: times }, () => site.browser());
  for (const browser of browsers) await site.signIn(browser, caller);
  return browsers;
}
async function oneSignedIn() {
  const caller = await site.api.makeUser();
  const [browser] = (await signedIn(caller)) as [Browser];
  return { caller, browser };
}

describe("/user/settings/sessions", () => {
  it("lists where one is signed in, ends one of them, and all others", async () => {
    const caller = await site.api.makeUser();
    const browsers = (await signedIn(caller, 4)) as [Browser, Browser, Browser, Browser];
    const [mine, second, third, fourth] = browsers;
    const page = await mine.get(path);
    expect(page.text.match(/<td>Tester\/1\.0/g)).toHaveLength(4);
    expect(page.text.match(/\(this one\)/g)).toHaveLength(1);
    expect(page.text).toContain(second.headers["x-forwarded-for"]);
    const rows = page.text.split("<tr>");
    const at = rows.findIndex((row) => row.includes(`<td>${second.headers["x-forwarded-for"]}</td>`)) - 2;
    expect((await mine.submit(page, {}, at)).location).toBe(path);
    expect(await Promise.all(browsers.map(isIn))).toEqual([true, false, true, true]);
    await mine.submit(page, {}, page.forms.length - 1);
    expect(await Promise.all([mine, third, fourth].map(isIn))).toEqual([true, false, false]);
  });

  it("ends no session of another user", async () => {
    const [{ browser }, other] = [await oneSignedIn(), await oneSignedIn()];
    const [theirs] = await listSessions(site.api.forge, other.caller.user);
    const page = await browser.get(path);
    await browser.submit(page, { end: theirs?.id ?? "" });
    expect(await isIn(other.browser)).toBe(true);
  });

  it("ends its own like signing out: the browser forgets the cookie", async () => {
    const { browser } = await oneSignedIn();
    const answer = await browser.submit(await browser.get(path), {});
    expect([answer.location, browser.cookies.has("coldforge_session")]).toEqual(["/user/login", false]);
  });
});

describe("/user/logout", () => {
  it("ends the session for whoever has its cookie; a link alone does not", async () => {
    const { browser } = await oneSignedIn();
    const copy = site.browser();
    for (const [name, value] of browser.cookies) copy.cookies.set(name, value);
    const page = await browser.get("/user/logout");
    expect(await isIn(copy)).toBe(true);
    expect((await browser.submit(page, {})).location).toBe("/user/login");
    expect([await isIn(copy), await isIn(browser)]).toEqual([false, false]);
    expect((await browser.get("/user/logout")).location).toBe("/user/login");
  });
});

describe("a session", () => {
  it("ends after it was idle, and after its days however much it is used", async () => {
    const { browser } = await oneSignedIn();
    const used = await oneSignedIn();
    const day = 86_400_000;
    site.api.clock.advance(day / 2);
    expect(await isIn(used.browser)).toBe(true);
    site.api.clock.advance(day / 2);
    expect([await isIn(browser), await isIn(used.browser)]).toEqual([false, true]);
    for (const hours of [12, 12, 12]) {
      expect(await isIn(used.browser)).toBe(true);
      site.api.clock.advance(hours * 3_600_000);
    }
    site.api.clock.advance(day / 2);
    expect(await isIn(used.browser)).toBe(false);
  });

  it("ends when the password changes, by whomever", async () => {
    const { forge } = site.api;
    const [own, given] = [await oneSignedIn(), await oneSignedIn()];
    await changeOwnPassword(forge, own.caller.user, "another-horse-7");
    await editUser(forge, given.caller.user, { password: "another-horse-8" });
    expect([await isIn(own.browser), await isIn(given.browser)]).toEqual([false, false]);
    expect(await listSessions(forge, (await findUserById(forge, own.caller.user.id)) as never)).toEqual([]);
  });

  it("ends when the account is shut out, and stays ended when it is let in again", async () => {
    const { forge } = site.api;
    for (const [out, again] of [
      [{ isActive: false }, { isActive: true }],
      [{ isLoginProhibited: true }, { isLoginProhibited: false }],
    ]) {
      const { caller, browser } = await oneSignedIn();
      const shut = await editUser(forge, caller.user, out ?? {});
      expect(await isIn(browser)).toBe(false);
      await editUser(forge, shut, again ?? {});
      expect(await isIn(browser)).toBe(false);
      expect((await site.signIn(browser, caller)).status).toBe(303);
    }
  });

  it("ends with its user", async () => {
    const boss = await site.api.makeUser({ isAdmin: true });
    const { caller, browser } = await oneSignedIn();
    await removeAccount(site.api.forge, { user: boss.user }, caller.user);
    expect(await isIn(browser)).toBe(false);
  });

  it("is none for a cookie that nobody was given", async () => {
    const { browser } = await oneSignedIn();
    const cookie = browser.cookies.get("coldforge_session") ?? "";
    for (const wrong of [
      "",
      "x",
      `0${cookie}`,
      `${cookie}A`,
      cookie.slice(0, -1),
      "1".repeat(40),
      "1.".padEnd(45, "a"),
    ]) {
      browser.cookies.set("coldforge_session", wrong);
      expect(await isIn(browser), wrong).toBe(false);
    }
  });

  it("is one of at most 100 of a user: the oldest end", async () => {
    const { forge } = site.api;
    const { caller, browser } = await oneSignedIn();
    const place = { address: "192.0.2.1", userAgent: "x".repeat(1000) };
    for (let at = 0; at < 100; at += 1) {
      if (at === 0) site.api.clock.advance(1000);
      await openSession(forge, caller.user, place);
    }
    const all = await listSessions(forge, caller.user);
    expect(all).toHaveLength(100);
    expect(all[0]?.userAgent).toHaveLength(200);
    expect(await isIn(browser)).toBe(false);
  });
});
