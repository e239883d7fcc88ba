import { beforeAll, describe, expect, it } from "vitest";
import type { Caller } from "#tests/support/api";
import type { Browser } from "#tests/support/browser";
import {
  broughtBack,
  makeChallenge,
  type Provider,
  type Registered,
  redirectUri,
  startProvider,
  tea,
} from "./provider.ts";

let provider: Provider;
let alice: Caller;
let bob: Caller;
let app: Registered;
let browser: Browser;
beforeAll(async () => {
  provider = await startProvider();
  const { api } = provider;
  [alice, bob] = [await api.makeUser({ name: "alice" }), await api.makeUser({ name: "bob" })];
  app = await provider.register(bob);
  browser = await provider.signedIn(alice);
});

const path = "/login/oauth/authorize";
const query = (more: Record<string, string> = {}) => {
  const asked = { client_id: app.client_id, redirect_uri: redirectUri, response_type: "code", state: "s-1" };
  return `${path}?${new URLSearchParams({ ...asked, ...more })}`;
};
/** A program of its own, so that nobody has agreed to it yet. */
const another = (given: object = {}) => provider.register(bob, given);
const tokensBy = async ({ client_id, client_secret }: Registered, code = "") =>
  (
    await provider.post("/login/oauth/access_token", {
      ...{ grant_type: "authorization_code", code, redirect_uri: redirectUri, client_id, client_secret },
    })
  ).json;

describe("GET /login/oauth/authorize (semantics §68.2)", () => {
  it("asks the user once, and sends them back with code, state and issuer; a confidential client at once later", async () => {
    const { client_id, ...rest } = await another();
    const page = await browser.get(query({ client_id, scope: "read:user" }));
    expect(page.status).toBe(200);
    expect(page.text).toContain("read: user");
    // Chrome holds `form-action` against everything that the program redirects to afterwards.
    expect(page.headers.get("content-security-policy")).not.toContain("form-action");
    expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    const back = broughtBack(await browser.submit(page, { granted: "true" }));
    expect(back).toEqual({ code: back.code, state: "s-1", iss: provider.url });
    expect(back.code).toMatch(/^gta_[a-z2-7]{52}$/);
    expect((await tokensBy({ client_id, ...rest }, back.code)).access_token).toMatch(/^eyJ/);
    expect(broughtBack(await browser.get(query({ client_id, scope: "read:user" }))).code).toMatch(/^gta_/);
  });

  it("sends a visitor to the login and back, and on from there", async () => {
    const visitor = provider.browser();
    const sent = await visitor.get(query({ state: "x".repeat(3_000) }));
    expect([sent.status, sent.location?.split("?")[0]]).toEqual([303, "/user/login"]);
    const signed = await visitor.submit(await visitor.get(sent.location ?? ""), {
      ...{ user_name: "alice", password: alice.password },
    });
    const [, goal = ""] = / href="([^"]+)"/.exec(signed.text) ?? [];
    const page = await visitor.get(goal.replaceAll("&amp;", "&"));
    expect(page.forms[0]?.fields.state).toBe("x".repeat(3_000));
  });

  it("access_denied when the user does not agree; nothing is granted", async () => {
    const { client_id } = await another();
    const page = await browser.get(query({ client_id }));
    const back = broughtBack(await browser.submit(page, { granted: "false" }));
    expect(back).toMatchObject({ error: "access_denied", state: "s-1", iss: provider.url });
    expect((await browser.get(query({ client_id }))).status).toBe(200);
  });

  it("names who registered the program, and leads to no page that isn't there", async () => {
    const { client_id } = await another();
    const page = await browser.get(query({ client_id }));
    expect(page.text).toContain("that the user <strong>bob</strong> registered");
    const links = [...page.text.matchAll(/ href="([^"]+)"/g)].map(([, path = ""]) => path);
    for (const path of links) expect([path, (await browser.get(path)).status]).toEqual([path, 200]);
    expect(links).toContain("/user/settings/applications");
  });

  it("asks again for more than was agreed to, and widens it", async () => {
    const { client_id } = await another();
    const ask = (scope: string) => browser.get(query({ client_id, scope }));
    await browser.submit(await ask("read:user"), { granted: "true" });
    const page = await ask("openid read:repository");
    expect(page.status).toBe(200);
    await browser.submit(page, { granted: "true" });
    for (const scope of ["read:user", "openid read:user read:repository"]) broughtBack(await ask(scope));
    for (const scope of ["", "write:user", "email read:user"]) expect((await ask(scope)).status).toBe(200);
  });

  it("asks again for a limit to public things that was given up: the two are never added", async () => {
    const { client_id } = await another();
    const ask = (scope: string) => browser.get(query({ client_id, scope }));
    await browser.submit(await ask("public-only read:repository"), { granted: "true" });
    await browser.submit(await ask("read:user"), { granted: "true" });
    expect((await ask("read:repository")).status).toBe(200);
    broughtBack(await ask("public-only read:user"));
  });

  it("ends tokens that could do more than is agreed to by now", async () => {
    const registered = await another();
    const agree = async (scope: string) => {
      const page = await browser.get(query({ client_id: registered.client_id, scope, prompt: "consent" }));
      return tokensBy(registered, broughtBack(await browser.submit(page, { granted: "true" })).code);
    };
    const mayStill = async ({ access_token }: { access_token: string }) => {
      const headers = { authorization: `Bearer ${access_token}` };
      return (await provider.api.call("GET", "/user", { headers })).status === 200;
    };
    const all = await agree("");
    const limited = await agree("public-only read:user");
    expect([await mayStill(all), await mayStill(limited)]).toEqual([false, true]);
    const wider = await agree("read:user");
    expect([await mayStill(limited), await mayStill(wider)]).toEqual([true, true]);
  });

  it("asks once for each address: who may change an application gets no codes of those who agreed before", async () => {
    const { client_id, id } = await another();
    await browser.submit(await browser.get(query({ client_id })), { granted: "true" });
    const moved = "https://moved.example/login";
    const body = { name: "ci", redirect_uris: [redirectUri, moved], confidential_client: true };
    await provider.api.call("PATCH", `/user/applications/oauth2/${id}`, { body, as: bob });
    broughtBack(await browser.get(query({ client_id })));
    const page = await browser.get(query({ client_id, redirect_uri: moved }));
    expect(page.status).toBe(200);
    broughtBack(await browser.submit(page, { granted: "true" }), moved);
    for (const to of [moved, redirectUri]) {
      broughtBack(await browser.get(query({ client_id, redirect_uri: to })), to);
    }
  });

  it("always asks for public clients; any loopback port will do (semantics §68.3)", async () => {
    const { challenge } = makeChallenge();
    const asked = { client_id: tea, redirect_uri: "http://127.0.0.1:54321", code_challenge: challenge };
    const url = query({ ...asked, code_challenge_method: "S256" });
    const page = await browser.get(url);
    expect(
      broughtBack(await browser.submit(page, { granted: "true" }), "http://127.0.0.1:54321").code,
    ).toMatch(/^gta_/);
    expect((await browser.get(url)).status).toBe(200);
  });

  it("prompt=none: an error instead of a page; prompt=consent: a page instead of a code", async () => {
    const { client_id } = await another();
    const prompt = (prompt: string, by = browser) => by.get(query({ client_id, prompt }));
    expect(broughtBack(await prompt("none", provider.browser())).error).toBe("login_required");
    expect(broughtBack(await prompt("none")).error).toBe("consent_required");
    await browser.submit(await prompt("consent"), { granted: "true" });
    expect(broughtBack(await prompt("none")).code).toMatch(/^gta_/);
    expect((await prompt("consent")).status).toBe(200);
  });

  const told: [string, Record<string, string>][] = [
    ["an unknown client", { client_id: "d57cb8c4-630c-4168-8324-000000000000" }],
    ["__proto__ as a client", { client_id: "__proto__" }],
    ["no client", { client_id: "" }],
    ["another redirect", { redirect_uri: "https://evil.example/login" }],
    ["javascript:", { redirect_uri: "javascript:alert(1)//https://ci.example/login" }],
    ["a port of a confidential client's", { redirect_uri: "https://ci.example:444/login" }],
    ["a longer path", { redirect_uri: "https://ci.example/login/../evil" }],
    ["a fragment", { redirect_uri: "https://ci.example/login#x" }],
    ["credentials in front", { redirect_uri: "https://ci.example@evil.example/login" }],
    ["a line break", { redirect_uri: "https://ci.example/login\r\nx: y" }],
    ["letters that look alike", { redirect_uri: "https://ci.examp\u2113e/login" }],
    ["a loopback port that is a name", { client_id: tea, redirect_uri: "http://localhost:1" }],
    ["a loopback address in a name", { client_id: tea, redirect_uri: "http://127.0.0.1.evil.example:1" }],
    [
      "a loopback address as credentials",
      { client_id: tea, redirect_uri: "http://127.0.0.1:1@evil.example" },
    ],
    ["a path at the loopback", { client_id: tea, redirect_uri: "http://127.0.0.1:1/x" }],
    ["https at another port", { client_id: tea, redirect_uri: "https://127.0.0.1:1" }],
    ["a loopback address without slashes", { client_id: tea, redirect_uri: "http:127.0.0.1:1" }],
    ["a loopback address behind backslashes", { client_id: tea, redirect_uri: "http:\\\\127.0.0.1:1" }],
    ["a loopback address as a number", { client_id: tea, redirect_uri: "http://2130706433:1" }],
    ["a loopback address behind dots", { client_id: tea, redirect_uri: "http://127.0.0.1:1/x/.." }],
  ];
  it.each(told)("400 and a page, never a redirect, for %s", async (_title, more) => {
    const page = await browser.get(query(more));
    expect([page.status, page.location]).toEqual([400, undefined]);
    expect(page.headers.get("content-type")).toContain("text/html");
  });

  it("takes a registered redirect in another case, and with a slash more (semantics §68.2)", async () => {
    for (const redirect_uri of ["HTTPS://CI.example/login", `${redirectUri}/`]) {
      expect((await browser.get(query({ redirect_uri }))).status).toBe(200);
    }
  });

  const refused: [string, Record<string, string>, string][] = [
    ["another response_type", { response_type: "token" }, "unsupported_response_type"],
    [
      "an unknown method",
      { code_challenge_method: "S512", code_challenge: "x".repeat(43) },
      "invalid_request",
    ],
    ["a short challenge", { code_challenge_method: "S256", code_challenge: "x" }, "invalid_request"],
    ["a method without a challenge", { code_challenge_method: "S256" }, "invalid_request"],
    ["a scope that is none", { scope: "read:everything" }, "invalid_scope"],
  ];
  it.each(refused)("303 with an error for %s", async (_title, more, error) => {
    expect(broughtBack(await browser.get(query(more)))).toMatchObject({ error, state: "s-1" });
  });

  it("303 invalid_request for a public client without a challenge (semantics §68.3)", async () => {
    const { client_id } = await another({ confidential_client: false });
    expect(broughtBack(await browser.get(query({ client_id })))).toMatchObject({ error: "invalid_request" });
  });

  it("303 or 400 for parameters that come twice; 400 for 32 KB of state", async () => {
    expect(broughtBack(await browser.get(`${query()}&scope=a&scope=b`)).error).toBe("invalid_request");
    expect((await browser.get(`${query()}&redirect_uri=https://evil.example`)).status).toBe(400);
    expect((await browser.get(`${query()}&client_id=${tea}`)).status).toBe(400);
    const fields = Object.fromEntries(new URLSearchParams(query().split("?")[1]));
    const long = await provider.post(path, { ...fields, state: "x".repeat(32_768) });
    expect([long.status, long.headers.get("location")]).toEqual([400, null]);
  });

  it("by POST: goes on as the same request by GET, whoever's page has the form (OpenID Connect)", async () => {
    const fields = Object.fromEntries(new URLSearchParams(query().split("?")[1]));
    const answer = await provider.post(path, fields, { origin: "https://ci.example" });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, query()]);
  });

  it("grants no page of another site anything, where CORS is on (semantics §68.2)", async () => {
    const open = await startProvider({ CORS_ENABLED: "true" });
    for (const at of [path, "/login/oauth/grant"]) {
      const headers = { origin: "https://evil.example", "access-control-request-method": "GET" };
      const answer = await fetch(open.url + at, { method: "OPTIONS", headers });
      expect(answer.headers.get("access-control-allow-origin")).toBeNull();
    }
  });
});

describe("POST /login/oauth/grant (semantics §68.2)", () => {
  it("403 from a page of another site, and without the form's token", async () => {
    const { client_id } = await another();
    const page = await browser.get(query({ client_id }));
    const fields = { ...page.forms[0]?.fields, granted: "true" };
    const foreign = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    expect((await browser.post("/login/oauth/grant", fields, foreign)).status).toBe(403);
    expect((await browser.post("/login/oauth/grant", { ...fields, form_token: "" })).status).toBe(403);
    expect((await browser.get(query({ client_id }))).status).toBe(200);
  });

  it("403 in another user's browser", async () => {
    const page = await browser.get(query({ client_id: (await another()).client_id }));
    const theirs = await provider.signedIn(bob);
    expect((await theirs.submit(page, { granted: "true" })).status).toBe(403);
  });

  it.each(["scope", "redirect_uri", "state", "nonce", "client_id"])(
    "400 when %s is not what was asked for; nothing is granted",
    async (name) => {
      const { client_id } = await another();
      const page = await browser.get(query({ client_id, scope: "read:user", nonce: "n" }));
      const answer = await browser.submit(page, { granted: "true", [name]: "all" });
      expect([answer.status, answer.location]).toEqual([400, undefined]);
      expect((await browser.get(query({ client_id, scope: "read:user" }))).status).toBe(200);
    },
  );

  it("400 for a request that nobody sealed, one that is over, and an application that changed or is gone", async () => {
    const registered = await another();
    const page = await browser.get(query({ client_id: registered.client_id }));
    expect((await browser.submit(page, { granted: "true", request: "made-up" })).status).toBe(400);
    const body = { name: "ci", redirect_uris: ["https://moved.example"], confidential_client: true };
    const at = `/user/applications/oauth2/${registered.id}`;
    await provider.api.call("PATCH", at, { body, as: bob });
    expect((await browser.submit(page, { granted: "true" })).status).toBe(400);
    await provider.api.call("DELETE", at, { as: bob });
    expect((await browser.submit(page, { granted: "true" })).status).toBe(400);
    const later = await browser.get(query());
    provider.api.clock.advance(3_600_000);
    expect((await browser.submit(later, { granted: "true" })).status).toBe(400);
  });

  it("binds the challenge to the code (PKCE)", async () => {
    const registered = await another();
    const { verifier, challenge } = makeChallenge();
    const asked = {
      client_id: registered.client_id,
      code_challenge: challenge,
      code_challenge_method: "S256",
    };
    const ask = async () => {
      const page = await browser.get(query(asked));
      return broughtBack(page.status === 303 ? page : await browser.submit(page, { granted: "true" })).code;
    };
    for (const _way of ["asked", "at once"]) {
      const code = (await ask()) ?? "";
      expect((await tokensBy(registered, code)).error).toBe("unauthorized_client");
      const { client_id, client_secret } = registered;
      const fields = {
        grant_type: "authorization_code",
        code,
        redirect_uri: redirectUri,
        code_verifier: verifier,
      };
      const answer = await provider.post("/login/oauth/access_token", {
        ...fields,
        client_id,
        client_secret,
      });
      expect(answer.status).toBe(200);
    }
  });
});

describe("/user/settings/applications", () => {
  it("shows what may act for a user, and takes it back at once", async () => {
    const registered = await another({ name: "<b>reader</b>" });
    const { client_id } = registered;
    const page = await browser.get(query({ client_id, scope: "read:user" }));
    const { code } = broughtBack(await browser.submit(page, { granted: "true" }));
    const { access_token } = await tokensBy(registered, code);
    const list = await browser.get("/user/settings/applications");
    expect(list.text).toContain("&lt;b&gt;reader&lt;/b&gt;");
    const at = list.forms.findIndex(({ fields }) => fields.client_id === client_id);
    expect((await browser.submit(list, {}, at)).status).toBe(303);
    const headers = { authorization: `Bearer ${access_token}` };
    expect((await provider.api.call("GET", "/user", { headers })).status).toBe(401);
    expect((await browser.get(query({ client_id, scope: "read:user" }))).status).toBe(200);
  });

  it("names a program whose owner is shut out, which may do nothing until they are let in, and takes it back", async () => {
    const [boss, owner] = [
      await provider.api.makeUser({ isAdmin: true }),
      await provider.api.makeUser({ name: "shut-out" }),
    ];
    const { client_id } = await provider.register(owner, { name: "theirs" });
    const asked = await browser.get(query({ client_id, scope: "read:user" }));
    await browser.submit(asked, { granted: "true" });
    const listed = async () => {
      const list = await browser.get("/user/settings/applications");
      const [row = ""] = /<tr><td>theirs<.*?<\/tr>/s.exec(list.text) ?? [];
      return { list, row, mayNothing: row.includes("nothing at present") };
    };
    const edit = (active: boolean) =>
      provider.api.call("PATCH", `/admin/users/${owner.name}`, {
        as: boss,
        body: { login_name: owner.name, source_id: 0, active },
      });
    await edit(false);
    expect(await listed()).toMatchObject({ row: expect.stringContaining("user"), mayNothing: true });
    await edit(true);
    expect(await listed()).toMatchObject({ row: expect.stringContaining("user"), mayNothing: false });
    await edit(false);
    const { list } = await listed();
    const at = list.forms.findIndex(({ fields }) => fields.client_id === client_id);
    await browser.submit(list, {}, at);
    expect((await listed()).row).toBe("");
  });

  it("asks visitors to sign in", async () => {
    expect((await provider.browser().get("/user/settings/applications")).location).toContain("/user/login?");
  });
});
