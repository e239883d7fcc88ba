// Logs in at a forge with the libraries that programs for Node are made of, each in a step:
// `<folder of the libraries> <url> <client id> <secret> <public client id> <redirect address>`. A browser is opened by
// `xdg-open`.
import { deepEqual, equal, notEqual } from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";

const [modules, url, clientId, secret, publicId, redirect] = process.argv.slice(2);
const installed = createRequire(join(modules, "index.js"));
const authorizePath = "/login/oauth/authorize";
const tokenPath = "/login/oauth/access_token";

/** Opens a page for the user; answers the address to which their browser is sent back. */
async function broughtBack(page) {
  const { port, origin } = new URL(redirect);
  const server = createServer();
  const asked = once(server, "request");
  await once(server.listen(Number(port), "127.0.0.1"), "listening");
  await promisify(execFile)("xdg-open", [String(page)]);
  const [request, response] = await asked;
  response.end();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  return new URL(request.url, origin);
}

async function nameOf(token) {
  const answer = await fetch(`${url}/api/v1/user`, { headers: { authorization: `Bearer ${token}` } });
  return (await answer.json()).login;
}

/** Discovery, PKCE, state, nonce and issuer of the answer, claims, userinfo, introspection, refresh, revocation. */
async function openidClient() {
  const client = await import(installed.resolve("openid-client"));
  const options = { execute: [client.allowInsecureRequests] };
  // Its own default, the secret in the body, is not what discovery names for introspection.
  const authentication = client.ClientSecretBasic(secret);
  const config = await client.discovery(new URL(url), clientId, undefined, authentication, options);
  const pkceCodeVerifier = client.randomPKCECodeVerifier();
  const page = client.buildAuthorizationUrl(config, {
    ...{ redirect_uri: redirect, scope: "openid profile email groups", state: "s1", nonce: "n1" },
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
  });
  const checks = { pkceCodeVerifier, expectedState: "s1", expectedNonce: "n1", idTokenExpected: true };
  const tokens = await client.authorizationCodeGrant(config, await broughtBack(page), checks);
  const { preferred_username, groups, sub } = tokens.claims();
  deepEqual([preferred_username, groups], ["alice", ["deployers", "deployers:Owners"]]);
  equal((await client.fetchUserInfo(config, tokens.access_token, sub)).email, "alice@example.com");
  equal((await client.tokenIntrospection(config, tokens.access_token)).active, true);
  const fresh = await client.refreshTokenGrant(config, tokens.refresh_token);
  notEqual(fresh.refresh_token, tokens.refresh_token);
  await client.tokenRevocation(config, fresh.refresh_token);
  equal(await nameOf(fresh.access_token), undefined);
}

async function simpleOauth2() {
  const { AuthorizationCode } = installed("simple-oauth2");
  const client = new AuthorizationCode({
    client: { id: clientId, secret },
    auth: { tokenHost: url, authorizePath, tokenPath },
  });
  const back = await broughtBack(client.authorizeURL({ redirect_uri: redirect, state: "s2" }));
  equal(back.searchParams.get("state"), "s2");
  const code = back.searchParams.get("code");
  const access = await client.getToken({ code, redirect_uri: redirect });
  equal(await nameOf(access.token.access_token), "alice");
  equal(access.expired(), false);
  const fresh = await access.refresh();
  equal(await nameOf(fresh.token.access_token), "alice");
}

/** A public client: PKCE, and no secret. */
async function arctic() {
  const { Gitea, generateCodeVerifier } = await import(installed.resolve("arctic"));
  const gitea = new Gitea(url, publicId, null, redirect);
  const verifier = generateCodeVerifier();
  const back = await broughtBack(gitea.createAuthorizationURL("s3", verifier, ["read:user"]));
  const tokens = await gitea.validateAuthorizationCode(back.searchParams.get("code"), verifier);
  equal(await nameOf(tokens.accessToken()), "alice");
  const fresh = await gitea.refreshAccessToken(tokens.refreshToken());
  equal(await nameOf(fresh.accessToken()), "alice");
}

/** A request to a page behind a strategy of passport: what it ends in. */
const throughPassport = (strategy, query, session) =>
  new Promise((resolve, reject) => {
    const told = Object.assign(Object.create(strategy), {
      redirect: (page) => resolve({ page }),
      success: (user) => resolve({ user }),
      fail: (why) => reject(new Error(JSON.stringify(why))),
      error: reject,
    });
    told.authenticate({ query, session, body: {} }, {});
  });

async function logInThrough(strategy) {
  const session = {};
  const { page } = await throughPassport(strategy, {}, session);
  const back = await broughtBack(page);
  return (await throughPassport(strategy, Object.fromEntries(back.searchParams), session)).user;
}

async function passportOauth2() {
  const { Strategy } = installed("passport-oauth2");
  const options = { authorizationURL: url + authorizePath, tokenURL: url + tokenPath, clientID: clientId };
  const strategy = new Strategy(
    { ...options, clientSecret: secret, callbackURL: redirect, state: true, pkce: true },
    (token, _refresh, _profile, done) => done(null, { token }),
  );
  equal(await nameOf((await logInThrough(strategy)).token), "alice");
}

async function passportOpenidconnect() {
  const Strategy = installed("passport-openidconnect");
  const options = { authorizationURL: url + authorizePath, tokenURL: url + tokenPath, clientID: clientId };
  const strategy = new Strategy(
    {
      ...{ ...options, issuer: url, userInfoURL: `${url}/login/oauth/userinfo`, clientSecret: secret },
      ...{ callbackURL: redirect, scope: ["profile", "email"] },
    },
    (issuer, profile, done) => done(null, { issuer, profile }),
  );
  const { issuer, profile } = await logInThrough(strategy);
  deepEqual([issuer, profile.username], [url, "alice"]);
}

const steps = {
  "openid-client: discovery, groups, userinfo, introspection, refresh, revocation": openidClient,
  "simple-oauth2: without scopes, and a refresh": simpleOauth2,
  "arctic's Gitea: a public client with PKCE": arctic,
  "passport-oauth2: state and PKCE": passportOauth2,
  "passport-openidconnect": passportOpenidconnect,
};
for (const [title, step] of Object.entries(steps)) {
  await step();
  console.log(`ok: ${title}`);
}
