import { beforeAll, describe, expect, it } from "vitest";
import { editUser } from "#core/user/edit";
import { createApi } from "#functions/api/app";
import { basic, type Caller } from "#tests/support/api";
import { makeForge } from "#tests/support/forge";
import { type PagesSite, startPages } from "./site.ts";

let site: PagesSite;
let olga: Caller;
beforeAll(async () => {
  site = await startPages();
  olga = await site.api.makeUser({ name: "olga" });
});

const sessionOf = (browser: { cookies: Map<string, string> }) => browser.cookies.get("coldforge_session");

describe("/user/login", () => {
  it("200: shows a form that runs no script, in no frame, kept by nobody", async () => {
    const page = await site.browser().get("/user/login");
    expect(page.status).toBe(200);
    expect(page.text).toContain("<h1>Sign in</h1>");
    expect(page.headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    );
    expect(page.headers.get("cache-control")).toBe("no-store");
    expect(page.headers.get("x-content-type-options")).toBe("nosniff");
  });

  it("303: signs in by name and by address, and goes on to what was asked for", async () => {
    for (const name of ["olga", "OLGA", "olga@example.com"]) {
      const browser = site.browser();
      const answer = await site.signIn(browser, { ...olga, name }, "/user/settings/sessions?a=1&b=%2F");
      expect(answer.status).toBe(303);
      expect(answer.location).toBe("/user/settings/sessions?a=1&b=%2F");
      const page = await browser.get(answer.location ?? "");
      expect(page.text).toContain("<h1>Sessions of olga</h1>");
      expect((await browser.get("/user/login")).location).toBe("/user/settings/sessions");
    }
  });

  it("the cookie is out of reach of scripts and of other sites' forms; over https of subdomains too", async () => {
    const browser = site.browser();
    const answer = await site.signIn(browser, olga);
    expect(answer.headers.getSetCookie()[0]).toMatch(
      /^coldforge_session=\d+\.[\w-]{43}; Max-Age=2678400; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    const { forge, stop } = await makeForge({ settings: { ROOT_URL: "https://forge.example.com" } });
    const page = await createApi({ forge }).request("/user/login");
    expect(page.headers.get("set-cookie")).toMatch(
      /^__Host-coldforge_visit=[\w-]{32}; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    await stop();
  });

  it("keeps only a hash of the cookie's secret", async () => {
    const browser = site.browser();
    await site.signIn(browser, olga);
    const [, secret = ""] = (sessionOf(browser) ?? "").split(".");
    const { items } = await site.api.forge.table.query({
      pk: `U#${olga.user.id}`,
      prefix: "SESSION#",
      limit: 100,
    });
    expect(items.length).toBeGreaterThan(0);
    expect(JSON.stringify(items)).not.toContain(secret);
  });

  it("403: tells neither which of name and password is wrong, nor shows what was typed as markup", async () => {
    const answers = [];
    for (const name of ["olga", "nobody-at-all"]) {
      const answer = await site.signIn(site.browser(), { name, password: "wrong-horse-1" });
      answers.push(answer.text.replaceAll(name, "").replaceAll(/value="[\w-]{43}"/g, ""));
      expect(answer.status).toBe(403);
    }
    expect(answers[0]).toBe(answers[1]);
    const hostile = await site.signIn(site.browser(), { name: '"><script>alert(1)</script>', password: "x" });
    expect(hostile.text).not.toContain("<script>");
  });

  it("goes on to this service alone", async () => {
    const elsewhere = [
      "javascript:alert(1)",
      "//evil.example",
      "\\\\evil.example",
      "/\\evil.example",
      "/\t/evil.example",
      "/..//evil.example",
      "https://evil.example/",
      "https:evil.example",
      "user/login",
      `/${"a".repeat(9000)}`,
    ];
    for (const goal of elsewhere) {
      const answer = await site.signIn(site.browser(), olga, goal);
      expect(answer.location, goal).toBe("/user/settings/sessions");
    }
  });

  it("begins anew where programs ask for leave, because a form may not lead to other sites", async () => {
    const goal = '/login/oauth/authorize?client_id=x&state="><b>';
    const answer = await site.signIn(site.browser(), olga, goal);
    expect(answer.status).toBe(200);
    expect(answer.text).toContain(
      '<meta http-equiv="refresh" content="0; url=/login/oauth/authorize?client_id=x&amp;state=%22%3E%3Cb%3E">',
    );
  });

  it("403: takes no form of another site, another browser, or an earlier session", async () => {
    const browser = site.browser();
    const page = await browser.get("/user/login");
    const fields = { ...page.forms[0]?.fields, user_name: "olga", password: olga.password };
    for (const headers of [
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { origin: "https://evil.example", "sec-fetch-site": "cross-site" },
    ]) {
      expect((await browser.post("/user/login", fields, headers)).status).toBe(403);
    }
    const plain = await fetch(`${site.url}/user/login`, {
      method: "POST",
      headers: { origin: "null" },
      body: new URLSearchParams(fields as Record<string, string>),
    });
    expect(plain.status).toBe(403);
    expect((await site.browser().post("/user/login", fields as Record<string, string>)).status).toBe(403);
    expect(sessionOf(browser)).toBeUndefined();
    expect((await browser.post("/user/login", fields as Record<string, string>)).status).toBe(303);
    expect((await browser.post("/user/logout", fields as Record<string, string>)).status).toBe(403);
  });

  it("gives a session of its own, whatever cookie the browser was made to send (fixation)", async () => {
    const mallory = await site.api.makeUser();
    const [theirs, browser] = [site.browser(), site.browser()];
    await site.signIn(theirs, mallory);
    const planted = sessionOf(theirs) ?? "";
    const page = await browser.get("/user/login");
    browser.cookies.set("coldforge_session", `${olga.user.id}.${planted.split(".")[1]}`);
    await browser.submit(page, { user_name: "olga", password: olga.password });
    expect(sessionOf(browser)).not.toContain(planted.split(".")[1]);
    theirs.cookies.set("coldforge_session", `${olga.user.id}.${planted.split(".")[1]}`);
    expect((await theirs.get("/user/settings/sessions")).status).toBe(303);
  });

  it("403: lets in no account that Basic authentication would not let in", async () => {
    const { forge } = site.api;
    const gates = [
      [{ isActive: false }, "this account is not active"],
      [{ isLoginProhibited: true }, "this account is prohibited from logging in"],
      [{ mustChangePassword: true }, "the password must be changed first"],
    ] as const;
    for (const [changes, words] of gates) {
      const user = await site.api.makeUser();
      await editUser(forge, user.user, changes);
      const browser = site.browser();
      const answer = await site.signIn(browser, user);
      expect([answer.status, sessionOf(browser)]).toEqual([403, undefined]);
      expect(answer.text).toContain(words);
    }
  });

  it("429: after as many wrong passwords as Basic authentication takes, which count together", async () => {
    const user = await site.api.makeUser();
    const address = "203.0.113.7";
    const headers = basic(user.name, "wrong-horse-1");
    for (let at = 0; at < 5; at += 1) {
      await site.api.call("GET", "/user", { headers, address });
      expect((await site.signIn(site.browser(address), { ...user, password: `wrong-${at}` })).status).toBe(
        403,
      );
    }
    const refused = await site.signIn(site.browser(address), user);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await site.signIn(site.browser(), user)).status).toBe(303);
  });

  it("405, 413, 415: for other methods, and bodies that are no form of ours", async () => {
    const browser = site.browser();
    const deleted = await fetch(`${site.url}/user/login`, { method: "DELETE" });
    expect([deleted.status, deleted.headers.get("allow")]).toEqual([405, "GET, HEAD, POST"]);
    const send = (type: string, body: string) =>
      fetch(`${site.url}/user/login`, { method: "POST", headers: { "content-type": type }, body });
    expect((await send("application/json", "{}")).status).toBe(415);
    expect((await send("application/x-www-form-urlencoded", "a=".repeat(40_000))).status).toBe(413);
    expect((await send("application/x-www-form-urlencoded", "a&".repeat(1_000))).status).toBe(413);
    expect((await browser.get("/user/nothing-here")).status).toBe(404);
  });
});

describe("the API", () => {
  it("never reads the cookie of a session, on any path (semantics §2.1)", async () => {
    const browser = site.browser();
    await site.signIn(browser, olga);
    for (const path of ["/api/v1/user", "/api/v1/user/repos", "/api/v1/notifications"]) {
      expect((await browser.get(path)).status, path).toBe(401);
    }
    const made = await fetch(`${site.url}/api/v1/user/repos`, {
      method: "POST",
      headers: { cookie: `coldforge_session=${sessionOf(browser)}`, "content-type": "application/json" },
      body: '{"name":"by-cookie"}',
    });
    expect(made.status).toBe(401);
    const git = await browser.get("/olga/none.git/info/refs?service=git-upload-pack");
    expect(git.status).toBe(401);
  });

  it("and pages read none of its credentials", async () => {
    const answer = await site
      .browser()
      .get("/user/settings/sessions", { authorization: `token ${olga.token}` });
    expect([answer.status, answer.location]).toEqual([
      303,
      "/user/login?redirect_to=%2Fuser%2Fsettings%2Fsessions",
    ]);
  });
});
