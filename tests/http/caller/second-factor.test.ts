import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Forge } from "#core/forge";
import {
  enrollSecondFactor,
  findSecondFactor,
  turnOnSecondFactor,
  verifyCode,
} from "#core/user/second-factor";
import { createGitApp } from "#functions/git/app";
import { createGitResolver } from "#functions/git/resolve";
import { userCommands } from "#infra/local/admin/user-commands";
import { basic, type Caller, makeApi, type TestApi } from "#tests/support/api";
import { codeOf as codeAt, wrongCodes } from "#tests/support/second-factor";

let api: TestApi;
let admin: Caller;

beforeAll(async () => {
  api = await makeApi();
  admin = await api.makeUser({ name: "boss", isAdmin: true });
});
afterAll(() => api.stop());

const codeOf = (secret: string, timeMs = api.clock.now()) => codeAt(secret, timeMs);

/** A user whose second factor is on; the clock stands in a half minute whose code was not used yet. */
async function enrolled() {
  const user = await api.makeUser();
  const headers = basic(user.name, user.password);
  const begun = await api.call("POST", "/user/two_factor", { headers });
  expect(begun.status).toBe(201);
  const { secret } = begun.json;
  const on = await api.call("PUT", "/user/two_factor", { headers, body: { code: codeOf(secret) } });
  expect(on.status).toBe(200);
  api.clock.advance(60_000);
  const ask = async (codes: Record<string, string>, address = "192.0.2.1") =>
    (await api.call("GET", "/user", { headers: { ...headers, ...codes }, address })).status;
  return { user, headers, secret: String(secret), spare: on.json.scratch_codes as string[], begun, ask };
}

/** A read that was answered before later changes; further reads are the table's. */
function once(answer: unknown, later: Forge["table"]["get"]): Forge["table"]["get"] {
  let isFirst = true;
  return (async (key, options) => {
    if (!isFirst) return later(key, options);
    isFirst = false;
    return answer;
  }) as Forge["table"]["get"];
}

describe("a password of an account with a second factor", () => {
  it("AUTH-4b, semantics §2.7-5: 401 without a code, 200 with the device's, and never for a token", async () => {
    const { user, secret, headers, ask } = await enrolled();
    const refusal = await api.call("GET", "/version", { headers });
    expect([refusal.status, refusal.json.message]).toEqual([401, expect.stringContaining("X-Forgejo-OTP")]);
    expect(await ask({ "x-gitea-otp": codeOf(secret) })).toBe(200);
    expect((await api.call("GET", "/user", { as: user })).status).toBe(200);
    expect((await api.call("GET", "/user", { headers: basic("anybody", user.token) })).status).toBe(200);
  });

  it("AUTH-5, D-OTP: X-Forgejo-OTP wins over X-Gitea-OTP; X-Service-OTP stands for both", async () => {
    const { secret, ask } = await enrolled();
    const right = codeOf(secret);
    expect(await ask({ "x-forgejo-otp": right, "x-gitea-otp": "garbage" })).toBe(200);
    expect(await ask({ "x-forgejo-otp": "garbage", "x-gitea-otp": right })).toBe(401);
    expect(await ask({ "x-service-otp": right })).toBe(200);
  });

  it("401: a code that was used, from anywhere else, and every older one", async () => {
    const { secret, ask } = await enrolled();
    const [older, code] = [codeOf(secret, api.clock.now() - 30_000), codeOf(secret)];
    expect(await ask({ "x-forgejo-otp": code })).toBe(200);
    expect(await ask({ "x-forgejo-otp": code }, "198.51.100.7")).toBe(401);
    expect(await ask({ "x-forgejo-otp": code })).toBe(200); // like clients that send it with two requests
    expect(await ask({ "x-forgejo-otp": older })).toBe(401);
    api.clock.advance(61_000);
    expect(await ask({ "x-forgejo-otp": code })).toBe(401);
  });

  it("401: of two callers who show one code at once, one alone is let in", async () => {
    const { secret, ask } = await enrolled();
    const code = { "x-forgejo-otp": codeOf(secret) };
    const answers = await Promise.all(["198.51.100.1", "198.51.100.2"].map((address) => ask(code, address)));
    expect(answers.sort()).toEqual([200, 401]);
  });

  it("a spare code counts once, also when two show it at once", async () => {
    const { headers, spare, ask } = await enrolled();
    const [first = "", second = ""] = spare;
    expect(await ask({ "x-forgejo-otp": first.toUpperCase() })).toBe(200);
    expect(await ask({ "x-forgejo-otp": first })).toBe(401);
    const both = await Promise.all([ask({ "x-forgejo-otp": second }), ask({ "x-forgejo-otp": second })]);
    expect(both.sort()).toEqual([200, 401]);
    const left = await api.call("GET", "/user/two_factor", {
      headers: { ...headers, "x-forgejo-otp": spare[2] ?? "" },
    });
    expect(left.json).toEqual({ enabled: true, scratch_codes_left: 7 });
  });

  it("429: guessing codes ends after ten, and the password is not told to be right", async () => {
    const { secret, ask } = await enrolled();
    for (let tries = 0; tries < 10; tries += 1) expect(await ask({ "x-forgejo-otp": "abcdef" })).toBe(401);
    expect(await ask({ "x-forgejo-otp": codeOf(secret) })).toBe(429);
    expect(await ask({ "x-forgejo-otp": codeOf(secret) }, "198.51.100.7")).toBe(200);
  });

  it("429: guesses from many addresses are counted together; the owner gets in from where they were, and by a spare code", async () => {
    const { secret, spare, ask } = await enrolled();
    const home = "192.0.2.50";
    expect(await ask({ "x-forgejo-otp": codeOf(secret) }, home)).toBe(200);
    api.clock.advance(60_000);
    const [last = "", ...guesses] = wrongCodes(secret, api.clock.now(), 21);
    for (const [at, code] of guesses.entries()) {
      expect(await ask({ "x-forgejo-otp": code }, `198.51.100.${at}`)).toBe(401);
    }
    expect(await ask({ "x-forgejo-otp": last }, "203.0.113.9")).toBe(429);
    expect(await ask({ "x-forgejo-otp": codeOf(secret) }, "203.0.113.9")).toBe(429);
    expect(await ask({ "x-forgejo-otp": codeOf(secret) }, home)).toBe(200);
    expect(await ask({ "x-forgejo-otp": spare[0] ?? "" }, "203.0.113.9")).toBe(200);
    api.clock.advance(3_600_000);
    expect(await ask({ "x-forgejo-otp": codeOf(secret) }, "203.0.113.9")).toBe(200);
  });

  it("429: of guesses that come at once twenty are looked at, and no more", async () => {
    const { user, secret } = await enrolled();
    const wrong = wrongCodes(secret, api.clock.now(), 200);
    // Of those that come at once one at least wins its write.
    for (let at = 0; at < wrong.length; at += 10) {
      const tries = wrong.slice(at, at + 10);
      await Promise.allSettled(
        tries.map((code) => verifyCode(api.forge, user.user.id, code, { caller: code })),
      );
    }
    const { failures } = (await findSecondFactor(api.forge, user.user.id)) ?? {};
    expect(failures?.count).toBe(20);
  });

  it("401: what was read of a factor that was replaced meanwhile does not bring it back", async () => {
    const { user, headers, secret, spare } = await enrolled();
    const { forge } = api;
    const former = await findSecondFactor(forge, user.user.id);
    const code = codeOf(secret);
    await api.call("DELETE", "/user/two_factor", {
      headers: { ...headers, "x-forgejo-otp": spare[0] ?? "" },
    });
    const begun = await enrollSecondFactor(forge, user.user);
    await turnOnSecondFactor(forge, user.user, codeOf(begun.secret));
    const present = await findSecondFactor(forge, user.user.id);
    expect([present?.v, present?.sealedSeed === former?.sealedSeed]).toEqual([former?.v, false]);
    const late = { ...forge, table: { ...forge.table, get: once(former, forge.table.get) } } as Forge;
    expect(await verifyCode(late, user.user.id, code, { caller: "192.0.2.1" })).toBe(false);
    expect((await findSecondFactor(forge, user.user.id))?.sealedSeed).toBe(present?.sealedSeed);
  });

  it("semantics §29: git says to use a token, takes one, and takes a code", async () => {
    const { user, secret, headers } = await enrolled();
    const git = createGitApp({ forge: api.forge, resolve: createGitResolver(api.forge) });
    const body = { name: "mine", private: true };
    expect((await api.call("POST", "/user/repos", { as: user, body })).status).toBe(201);
    const ask = (more: Record<string, string>) =>
      git.request(`/${user.name}/mine/info/refs?service=git-upload-pack`, {
        headers: { ...headers, ...more },
      });
    const refusal = await ask({});
    expect([refusal.status, await refusal.text()]).toEqual([401, expect.stringContaining("access token")]);
    expect((await ask(basic(user.name, user.token))).status).toBe(200);
    expect((await ask({ "x-forgejo-otp": codeOf(secret) })).status).toBe(200);
  });
});

describe("userCreateSecondFactor", () => {
  it("201: answers the secret this once, never stored by anyone; nothing counts before a code was shown", async () => {
    const user = await api.makeUser();
    const headers = basic(user.name, user.password);
    const { json, headers: sent } = await api.call("POST", "/user/two_factor", { headers });
    expect(json.url).toMatch(/^otpauth:\/\/totp\/.*secret=/);
    expect(sent.get("cache-control")).toBe("no-store");
    expect((await api.call("GET", "/user/two_factor", { headers })).json.enabled).toBe(false);
    const again = await api.call("POST", "/user/two_factor", { headers });
    expect([again.status, again.json.secret === json.secret]).toEqual([201, false]);
  });

  it("403: tokens and sudo can't, 409 while one is on, 401 anonymous", async () => {
    const { user, headers, secret } = await enrolled();
    expect((await api.call("POST", "/user/two_factor", { as: user })).status).toBe(403);
    const sudo = { ...basic(admin.name, admin.password), sudo: user.name };
    expect((await api.call("POST", "/user/two_factor", { headers: sudo })).status).toBe(403);
    const withCode = { ...headers, "x-forgejo-otp": codeOf(secret) };
    expect((await api.call("POST", "/user/two_factor", { headers: withCode })).status).toBe(409);
    expect((await api.call("POST", "/user/two_factor")).status).toBe(401);
  });
});

describe("userEnableSecondFactor", () => {
  it("422: a wrong code; 404: none begun; 409: on already", async () => {
    const user = await api.makeUser();
    const headers = basic(user.name, user.password);
    const turnOn = (code: string, more = {}) =>
      api.call("PUT", "/user/two_factor", { headers: { ...headers, ...more }, body: { code } });
    expect((await turnOn("123456")).status).toBe(404);
    const { secret } = (await api.call("POST", "/user/two_factor", { headers })).json;
    expect((await turnOn("nonsense")).status).toBe(422);
    expect((await turnOn(codeOf(secret))).json.scratch_codes).toHaveLength(10);
    expect((await turnOn(codeOf(secret), { "x-forgejo-otp": codeOf(secret) })).status).toBe(409);
  });
});

describe("userGetSecondFactor", () => {
  it("200: an account without one", async () => {
    const user = await api.makeUser();
    const { json } = await api.call("GET", "/user/two_factor", { as: user });
    expect(json).toEqual({ enabled: false, scratch_codes_left: 0 });
  });
});

describe("userDeleteSecondFactor", () => {
  it("204: the password alone counts again; 404 without one", async () => {
    const { headers, secret, ask } = await enrolled();
    const remove = () =>
      api.call("DELETE", "/user/two_factor", { headers: { ...headers, "x-forgejo-otp": codeOf(secret) } });
    expect((await remove()).status).toBe(204);
    expect(await ask({})).toBe(200);
    expect((await remove()).status).toBe(404);
  });
});

describe("npm run admin -- user remove-second-factor", () => {
  it("lets in by password alone again; refuses a name that nobody has", async () => {
    const { user, ask } = await enrolled();
    const command = userCommands["user remove-second-factor"];
    await expect(command?.perform(api.forge, { username: "nobody-here" })).rejects.toThrow("nobody-here");
    expect(await command?.perform(api.forge, { username: user.name })).toContain(user.name);
    expect(await ask({})).toBe(200);
  });
});

describe("adminDeleteSecondFactor", () => {
  it("204: by an administrator, for a user who lost their device; 403 for others", async () => {
    const { user, ask } = await enrolled();
    const path = `/admin/users/${user.name}/two_factor`;
    const headers = basic(admin.name, admin.password);
    expect((await api.call("DELETE", path, { as: user })).status).toBe(403);
    expect((await api.call("DELETE", path, { headers })).status).toBe(204);
    expect(await ask({})).toBe(200);
    expect((await api.call("DELETE", path, { headers })).status).toBe(404);
  });

  it("403: for a token, and as somebody else: it protects an account as the operations on one's own do", async () => {
    const { user } = await enrolled();
    const path = `/admin/users/${user.name}/two_factor`;
    const headers = { ...basic(admin.name, admin.password), sudo: admin.name };
    expect((await api.call("DELETE", path, { as: admin })).status).toBe(403);
    expect((await api.call("DELETE", path, { headers })).status).toBe(403);
  });
});
