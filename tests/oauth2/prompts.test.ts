import { decodeJwt, decodeProtectedHeader, generateKeyPair, SignJWT, UnsecuredJWT } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { tokenSigner } from "#core/oauth2-grant/tokens";
import { rotateSigningKey } from "#core/signing-key/signing-key";
import type { Caller } from "#tests/support/api";
import type { Browser, Shown } from "#tests/support/browser";
import {
  broughtBack,
  makeChallenge,
  type Provider,
  type Registered,
  redirectUri,
  startProvider,
} from "./provider.ts";
import { tokenRequests } from "./token-requests.ts";

let provider: Provider;
let alice: Caller;
let bob: Caller;
let app: Registered;
beforeAll(async () => {
  provider = await startProvider();
  [alice, bob] = [
    await provider.api.makeUser({ name: "alice" }),
    await provider.api.makeUser({ name: "bob" }),
  ];
  app = await provider.register(bob);
});

const { exchange, refresh, status } = tokenRequests(() => ({ provider, app, user: alice }));
const query = (more: Record<string, string> = {}) => {
  const asked = {
    client_id: app.client_id,
    redirect_uri: redirectUri,
    response_type: "code",
    scope: "openid",
  };
  return `/login/oauth/authorize?${new URLSearchParams({ ...asked, ...more })}`;
};

/** A browser of alice's, who has agreed to the program. */
async function agreed(): Promise<Browser> {
  const browser = await provider.signedIn(alice);
  const page = await browser.get(query());
  if (page.status === 200) await browser.submit(page, { granted: "true" });
  return browser;
}

/** Signs a user in, alice unless said otherwise, where they were sent to, and follows on. */
async function signInWhere(
  browser: Browser,
  sent: Shown,
  { afterMs = 0, as = alice }: { readonly afterMs?: number; readonly as?: Caller } = {},
): Promise<Shown> {
  expect([sent.status, sent.location?.split("?")[0]]).toEqual([303, "/user/login"]);
  const form = await browser.get(sent.location ?? "");
  expect(form.status, "the form, though she is signed in").toBe(200);
  const signed = await browser.submit(form, { user_name: as.user.name, password: as.password });
  const [, goal = ""] = / href="([^"]+)"/.exec(signed.text) ?? [];
  provider.api.clock.advance(afterMs);
  return browser.get(goal.replaceAll("&amp;", "&"));
}

const authTimeOf = async (back: Shown): Promise<number> => {
  const { json } = await exchange(broughtBack(back).code ?? "");
  return Number(decodeJwt(json.id_token).auth_time);
};
const now = () => Math.floor(provider.api.clock.now() / 1000);

describe("prompt and max_age (OpenID Connect Core, section 3.1.2.1)", () => {
  it.each([{ prompt: "login" }, { prompt: "select_account" }, { prompt: "login consent" }, { max_age: "0" }])(
    "%o has a user sign in who is signed in, once for each request",
    async (more) => {
      const browser = await agreed();
      provider.api.clock.advance(5_000);
      const sent = await browser.get(query({ ...more, state: "1" }));
      let back = await signInWhere(browser, sent);
      if (more.prompt?.includes("consent")) back = await browser.submit(back, { granted: "true" });
      expect(await authTimeOf(back)).toBe(now());
      provider.api.clock.advance(5_000);
      expect((await browser.get(query({ ...more, state: "2" }))).location).toMatch(/^\/user\/login\?/);
    },
  );

  it("takes a mark for no other request, and none for a session that was there before", async () => {
    const browser = await agreed();
    const sent = await browser.get(query({ prompt: "login", state: "1" }));
    const goal = new URL(
      new URLSearchParams(sent.location?.split("?")[1]).get("redirect_to") ?? "",
      provider.url,
    );
    const marked = goal.pathname + goal.search;
    expect((await browser.get(marked)).location, "she has not signed in").toMatch(/^\/user\/login\?/);
    broughtBack(await signInWhere(browser, sent));
    const mark = goal.searchParams.get("signed_in_anew") ?? "";
    const other = query({ prompt: "login", state: "2", signed_in_anew: mark });
    expect((await browser.get(other)).location).toMatch(/^\/user\/login\?/);
    expect((await browser.get(query({ prompt: "login", signed_in_anew: "made-up" }))).status).toBe(303);
  });

  it("max_age: at once for who signed in since, login_required in silence for who did before", async () => {
    const browser = await agreed();
    const signedInAt = now();
    provider.api.clock.advance(60_000);
    expect(await authTimeOf(await browser.get(query({ max_age: "60" })))).toBe(signedInAt);
    const silent = await browser.get(query({ max_age: "59", prompt: "none" }));
    expect(broughtBack(silent).error).toBe("login_required");
    expect((await browser.get(query({ max_age: "59" }))).location).toMatch(/^\/user\/login\?/);
  });

  it("max_age: nobody signs in twice who was not signed in, however slowly they go on", async () => {
    await agreed();
    const browser = provider.browser();
    const sent = await browser.get(query({ max_age: "0" }));
    const signedInAt = now();
    expect(await authTimeOf(await signInWhere(browser, sent, { afterMs: 5_000 }))).toBe(signedInAt);
  });

  it("auth_time stays that of the sign-in when tokens are refreshed (section 12.2)", async () => {
    const browser = await agreed();
    const signedInAt = now();
    const { json } = await exchange(broughtBack(await browser.get(query())).code ?? "");
    provider.api.clock.advance(60_000);
    const { json: later } = await refresh(json.refresh_token);
    expect([json, later].map(({ id_token }) => decodeJwt(id_token).auth_time)).toEqual([
      signedInAt,
      signedInAt,
    ]);
  });

  it("prompt=none: interaction_required for a public client that was agreed to, whose user is always asked", async () => {
    const { client_id } = await provider.register(bob, { confidential_client: false });
    const { challenge } = makeChallenge();
    const asked = { client_id, code_challenge: challenge, code_challenge_method: "S256" };
    const browser = await agreed();
    expect(broughtBack(await browser.get(query({ ...asked, prompt: "none" }))).error).toBe(
      "consent_required",
    );
    await browser.submit(await browser.get(query(asked)), { granted: "true" });
    expect(broughtBack(await browser.get(query({ ...asked, prompt: "none" }))).error).toBe(
      "interaction_required",
    );
  });

  it.each([{ prompt: "none login" }, { max_age: "-1" }, { max_age: "soon" }])(
    "invalid_request for %o",
    async (more) => {
      expect(broughtBack(await (await agreed()).get(query(more))).error).toBe("invalid_request");
    },
  );
});

describe("id_token_hint (OpenID Connect Core, section 3.1.2.1)", () => {
  const idTokenOf = async (browser: Browser): Promise<string> =>
    (await exchange(broughtBack(await browser.get(query())).code ?? "")).json.id_token;
  const silent = async (browser: Browser, hint: string, more: Record<string, string> = {}) =>
    broughtBack(await browser.get(query({ ...more, prompt: "none", id_token_hint: hint })));
  const userOf = async ({ code = "" }: Record<string, string>) =>
    decodeJwt((await exchange(code)).json.id_token).sub;

  it("of the user who is signed in: a code, also when the token is over and its key was replaced", async () => {
    const browser = await agreed();
    const hint = await idTokenOf(browser);
    provider.api.clock.advance(3 * 86_400_000);
    await rotateSigningKey(provider.api.forge);
    expect(await userOf(await silent(browser, hint))).toBe(String(alice.user.id));
  });

  it("of another user, or with nobody signed in: login_required in silence", async () => {
    const hint = await idTokenOf(await agreed());
    const other = await provider.signedIn(bob);
    for (const browser of [other, provider.browser()]) {
      expect((await silent(browser, hint)).error).toBe("login_required");
    }
  });

  it("of another user: the one meant signs in, once, and nobody else is let in", async () => {
    const hint = await idTokenOf(await agreed());
    const browser = await provider.signedIn(bob);
    const sent = await browser.get(query({ id_token_hint: hint }));
    expect(broughtBack(await signInWhere(browser, sent, { as: bob })).error).toBe("login_required");
    const again = await browser.get(query({ id_token_hint: hint }));
    expect(await userOf(broughtBack(await signInWhere(browser, again)))).toBe(String(alice.user.id));
  });

  it("with nobody signed in: whoever signs in does so once", async () => {
    const hint = await idTokenOf(await agreed());
    const sent = () => provider.browser().get(query({ id_token_hint: hint }));
    const [first, second] = [provider.browser(), provider.browser()];
    expect((await sent()).location).not.toContain("anew=true");
    const asBob = await signInWhere(first, await first.get(query({ id_token_hint: hint })), { as: bob });
    expect(broughtBack(asBob).error).toBe("login_required");
    const asAlice = await signInWhere(second, await second.get(query({ id_token_hint: hint })));
    expect(await userOf(broughtBack(asAlice))).toBe(String(alice.user.id));
  });

  it("invalid_request for what is no id token that this program got here", async () => {
    const browser = await agreed();
    const { json } = await exchange(broughtBack(await browser.get(query())).code ?? "");
    const claims = decodeJwt(json.id_token);
    const { privateKey } = await generateKeyPair("RS256");
    const { kid = "" } = decodeProtectedHeader(json.id_token);
    const foreign = new SignJWT(claims).setProtectedHeader({ alg: "RS256", typ: "JWT", kid });
    const [header, , signature] = json.id_token.split(".");
    const forBob = Buffer.from(JSON.stringify({ ...claims, sub: String(bob.user.id) })).toString("base64url");
    const hints = {
      unsigned: new UnsecuredJWT(claims).encode(),
      foreign: await foreign.sign(privateKey),
      changed: [header, forBob, signature].join("."),
      access: json.access_token,
      refresh: json.refresh_token,
      malformed: "a.b.c",
    };
    for (const [kind, hint] of Object.entries(hints)) {
      expect((await silent(browser, hint)).error, kind).toBe("invalid_request");
    }
    const { client_id } = await provider.register(bob, { name: "other" });
    expect((await silent(browser, json.id_token, { client_id })).error, "of another program").toBe(
      "invalid_request",
    );
    expect(await userOf(await silent(browser, json.id_token))).toBe(String(alice.user.id));
  });

  it("keeps the way back short, as logins at providers need it, and who is meant also when signing in takes hours", async () => {
    const { forge } = provider.api;
    const { signId } = await tokenSigner(forge);
    const groups = Array.from({ length: 150 }, (_, at) => `organization-${at}`);
    const claims = { iss: forge.config.rootUrl, aud: app.client_id, sub: String(alice.user.id), groups };
    await agreed();
    const browser = provider.browser();
    const sent = await browser.get(query({ id_token_hint: await signId(claims, 3_600) }));
    const goal = new URL(sent.location ?? "", provider.url).searchParams.get("redirect_to") ?? "";
    expect(goal.length).toBeLessThan(1_000);
    const asBob = await signInWhere(browser, sent, { as: bob, afterMs: 2 * 3_600_000 });
    expect(await userOf(broughtBack(await signInWhere(browser, asBob)))).toBe(String(alice.user.id));
    const other = await provider.register(bob, { name: "other program" });
    for (const [name, value] of Object.entries({ client_id: other.client_id, user_meant: "made-up" })) {
      const changed = new URL(goal, provider.url);
      changed.searchParams.set(name, value);
      const refused = broughtBack(await browser.get(changed.pathname + changed.search));
      expect(refused.error, name).toBe("invalid_request");
    }
  });

  it("goes along with a form of the program's page, also one that names many groups", async () => {
    const browser = await agreed();
    const sentOn = (hint: string) =>
      provider.post("/login/oauth/authorize", { client_id: app.client_id, id_token_hint: hint });
    const hint = "x".repeat(8_192);
    const { status, headers } = await sentOn(hint);
    const location = headers.get("location") ?? "";
    expect([status, new URL(location, provider.url).searchParams.get("id_token_hint")]).toEqual([303, hint]);
    const at = query({ id_token_hint: hint });
    expect(broughtBack(await browser.get(at)).error).toBe("invalid_request");
    expect((await browser.get(`${at}x`)).status).toBe(400);
  });
});

describe("programs of an owner who is shut out (semantics §68.1)", () => {
  it.each([
    ["prohibited", { prohibit_login: true }, { prohibit_login: false }],
    ["deactivated", { active: false }, { active: true }],
  ])(
    "of one who is %s: no login, no refresh, tokens that are out count no more; all again once they are let in",
    async (_word, out, back) => {
      const boss = await provider.api.makeUser({ isAdmin: true });
      const owner = await provider.api.makeUser();
      const theirs = await provider.register(owner);
      const edit = (body: object) =>
        provider.api.call("PATCH", `/admin/users/${owner.name}`, {
          as: boss,
          body: { login_name: owner.name, source_id: 0, ...body },
        });
      const ask = (fields: Record<string, string>) =>
        provider.post("/login/oauth/access_token", {
          ...{ client_id: theirs.client_id, client_secret: theirs.client_secret, ...fields },
        });
      const code = { grant_type: "authorization_code", redirect_uri: redirectUri };
      const made = await ask({ ...code, code: await provider.codeFor(alice, theirs.client_id) });
      const browser = await agreed();
      const use = () => status(made.json.access_token);
      expect(await use()).toBe(200);
      expect((await edit(out)).status).toBe(200);
      expect(await use()).toBe(401);
      expect((await browser.get(query({ client_id: theirs.client_id }))).status).toBe(400);
      const fresh = await provider.codeFor(alice, theirs.client_id);
      expect((await ask({ ...code, code: fresh })).json.error).toBe("invalid_client");
      const again = { grant_type: "refresh_token", refresh_token: made.json.refresh_token };
      expect((await ask(again)).json.error).toBe("invalid_client");
      expect((await edit(back)).status).toBe(200);
      expect(await use()).toBe(200);
      expect((await ask(again)).status).toBe(200);
      expect((await ask({ ...code, code: fresh })).status).toBe(200);
    },
  );

  it("of one who is restricted go on: they are kept from what is public, not from the service", async () => {
    const owner = await provider.api.makeUser({ isRestricted: true });
    const { client_id } = await provider.register(owner);
    expect((await (await agreed()).get(query({ client_id }))).status).toBe(200);
  });
});
