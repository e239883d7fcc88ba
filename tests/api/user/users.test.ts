import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";

let api: TestApi;
let admin: Caller;
let alice: Caller;

beforeAll(async () => {
  api = await makeApi({ settings: { EMAIL_DOMAIN_BLOCKLIST: "*.bad.example" } });
  admin = await api.makeUser({ name: "boss", isAdmin: true });
  alice = await api.makeUser({ name: "Alice" });
});
afterAll(() => api.stop());

describe("userGetCurrent", () => {
  it("200: the caller with their private fields", async () => {
    const answer = await api.call("GET", "/user", { as: admin });
    expect(answer.json).toMatchObject({ login: "boss", is_admin: true, email: "boss@example.com" });
  });

  it("401: anonymous, and with credentials that do not hold", async () => {
    expect((await api.call("GET", "/user")).status).toBe(401);
    const wrong = await api.call("GET", "/user", { headers: { authorization: `token ${"0".repeat(40)}` } });
    expect(wrong.status).toBe(401);
  });
});

describe("userGet", () => {
  it("200: anonymous callers see a hidden address and no private fields (semantics §3.4)", async () => {
    const { json } = await api.call("GET", "/users/boss");
    expect(json).toMatchObject({ email: "boss@noreply.127.0.0.1", is_admin: false, active: false });
    expect((await api.call("GET", "/users/boss", { as: alice })).json.email).toBe("boss@example.com");
  });

  it("404: unknown, and hidden ones alike (D-HIDDEN)", async () => {
    const limited = await api.makeUser({ name: "limited", visibility: "limited" });
    const hidden = await api.makeUser({ name: "hidden", visibility: "private" });
    expect((await api.call("GET", "/users/nobody")).status).toBe(404);
    expect((await api.call("GET", "/users/limited")).status).toBe(404);
    expect((await api.call("GET", "/users/limited", { as: alice })).status).toBe(200);
    expect((await api.call("GET", "/users/hidden", { as: limited })).status).toBe(404);
    expect((await api.call("GET", "/users/hidden", { as: hidden })).status).toBe(200);
    expect((await api.call("GET", "/users/hidden", { as: admin })).status).toBe(200);
  });

  it("200: system users by their names, whatever the case (B-16)", async () => {
    expect((await api.call("GET", "/users/ghost")).json).toMatchObject({ id: -1, login: "Ghost" });
    const actions = { id: -2, login: "forgejo-actions", full_name: "Forgejo Actions" };
    expect((await api.call("GET", "/users/Forgejo-Actions")).json).toMatchObject(actions);
    expect((await api.call("GET", "/users/gitea-actions")).json).toMatchObject(actions);
    expect((await api.call("GET", "/users/ghost/tokens", { as: admin })).status).toBe(404);
  });

  it("200: an organization in the form of a user, to whom it shows itself", async () => {
    for (const visibility of ["public", "private"])
      await api.call("POST", "/orgs", { as: alice, body: { username: `${visibility}-org`, visibility } });
    expect((await api.call("GET", "/users/public-org")).json).toMatchObject({ login: "public-org" });
    expect((await api.call("GET", "/users/private-org")).status).toBe(404);
    expect((await api.call("GET", "/users/private-org", { as: alice })).status).toBe(200);
    expect((await api.call("GET", "/users/public-org/repos")).json).toEqual([]);
  });
});

describe("userSearch", () => {
  const found = async (query: string, as?: Caller) => {
    const { status, json, headers } = await api.call("GET", `/users/search?${query}`, { as });
    expect([status, json.ok]).toEqual([200, true]);
    expect(Number(headers.get("x-total-count"))).toBeGreaterThanOrEqual(json.data.length);
    return json.data.map(({ login }: { login: string }) => login);
  };

  it("B-16, NS-3: uid -1 and -2 find the system users, whatever q says, and no keyword does", async () => {
    expect((await api.call("GET", "/users/search?uid=-1&q=zzz")).json).toEqual({
      ok: true,
      data: [expect.objectContaining({ id: -1, login: "Ghost" })],
    });
    expect(await found("uid=-2")).toEqual(["forgejo-actions"]);
    expect(await found("uid=-2&page=2")).toEqual([]);
    expect(await found("q=ghost")).toEqual([]);
    expect(await found("uid=-3")).toEqual(await found(""));
  });

  it("200: a part of login or full name in any case, individuals alone, by name; uid; pages", async () => {
    await api.makeUser({ name: "searched-b", fullName: "Zoë Quince" });
    await api.makeUser({ name: "searched-a" });
    await api.call("POST", "/orgs", { as: alice, body: { username: "searched-org" } });
    expect(await found("q=SEARCHED")).toEqual(["searched-a", "searched-b"]);
    expect(await found("q=ZO%C3%8B%20q")).toEqual(["searched-b"]);
    expect(await found(`uid=${alice.user.id}`)).toEqual(["Alice"]);
    const second = await api.call("GET", "/users/search?q=searched&limit=1&page=2");
    expect(second.json.data).toMatchObject([{ login: "searched-b" }]);
    expect(second.headers.get("x-total-count")).toBe("2");
  });

  it("200: shows nobody whom the caller may not know of, in the total neither (semantics §3.4)", async () => {
    const [open, shut] = [
      await api.makeUser({ name: "veiled-limited", visibility: "limited" }),
      await api.makeUser({ name: "veiled-private", visibility: "private" }),
    ];
    expect(await found("q=veiled")).toEqual([]);
    expect(await found("q=veiled", alice)).toEqual([open.name]);
    expect(await found("q=veiled", shut)).toEqual([open.name, shut.name]);
    expect(await found("q=veiled", admin)).toEqual([open.name, shut.name]);
    const token = await api.makeToken(shut, ["public-only", "read:user"]);
    expect((await found("q=veiled", { ...shut, token })).length).toBe(0);
  });

  it("200: a whole e-mail address finds whoever shows it to the caller (D-SEARCH)", async () => {
    const shy = await api.makeUser({ name: "shy" });
    await api.call("PATCH", "/user/settings", { as: shy, body: { hide_email: true } });
    expect(await found("q=ALICE@example.com", shy)).toEqual(["Alice"]);
    expect(await found("q=alice@example.com")).toEqual([]);
    expect(await found("q=shy@example.com", alice)).toEqual([]);
    expect(await found("q=shy@example.com", shy)).toEqual(["shy"]);
    expect(await found("q=shy@example.com", admin)).toEqual(["shy"]);
  });

  it("422: a uid that is no number, told as searches do", async () => {
    const { status, json } = await api.call("GET", "/users/search?uid=x");
    expect([status, json.ok]).toEqual([422, false]);
  });
});

describe("getUserSettings", () => {
  it("200: what a new account has; 401: anonymous", async () => {
    const { json } = await api.call("GET", "/user/settings", { as: admin });
    expect(json).toMatchObject({ hide_email: false, enable_repo_unit_hints: true, theme: "", full_name: "" });
    expect((await api.call("GET", "/user/settings")).status).toBe(401);
  });
});

describe("updateUserSettings", () => {
  it("200: absent fields stay, the others are as given at once", async () => {
    const body = {
      full_name: "Alice A",
      website: "https://a.example",
      description: "me",
      location: "here",
      pronouns: "she/her",
      language: "de-DE",
      theme: "dark",
      diff_view_style: "split",
      enable_repo_unit_hints: false,
      hide_email: true,
      hide_pronouns: true,
      hide_activity: true,
      email_notifications: "onmention",
    };
    const changed = await api.call("PATCH", "/user/settings", { as: alice, body });
    expect([changed.status, changed.json]).toEqual([200, body]);
    const one = await api.call("PATCH", "/user/settings", { as: alice, body: { theme: "" } });
    expect(one.json).toEqual({ ...body, theme: "" });
    expect((await api.call("GET", "/user/settings", { as: alice })).json).toEqual({ ...body, theme: "" });
    const others = (await api.call("GET", "/users/alice", { as: await api.makeUser() })).json;
    expect(others).toMatchObject({
      full_name: "Alice A",
      email: "alice@noreply.127.0.0.1",
      pronouns: "she/her",
    });
    expect((await api.call("GET", "/users/alice")).json.pronouns).toBe("");
  });

  it.each([
    [{ full_name: "x".repeat(101) }, "FullName"],
    [{ website: "javascript:alert(1)" }, "Website"],
    [{ description: "x".repeat(256) }, "Description"],
    [{ location: "x".repeat(51) }, "Location"],
    [{ pronouns: "x".repeat(51) }, "Pronouns"],
    [{ diff_view_style: "upside-down" }, "DiffViewStyle"],
  ])("422: %j", async (body, field) => {
    const { status, json } = await api.call("PATCH", "/user/settings", { as: alice, body });
    expect(status).toBe(422);
    expect(json.message).toContain(`[${field}]`);
  });

  it("401: anonymous", async () => {
    expect((await api.call("PATCH", "/user/settings", { body: {} })).status).toBe(401);
  });
});

const picture = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(40, 3)]);

describe("a picture's address", () => {
  it("tells no hash of an e-mail address, which may be hidden", async () => {
    const shy = await api.makeUser({ name: "shy-of-mail" });
    const { avatar_url: shown } = (await api.call("GET", "/users/shy-of-mail")).json;
    expect(shown).not.toContain(createHash("sha256").update(shy.user.email).digest("hex"));
  });
});

describe("userUpdateAvatar", () => {
  it("204: the picture is the account's at once", async () => {
    const body = { image: picture.toString("base64") };
    expect((await api.call("POST", "/user/avatar", { as: alice, body })).status).toBe(204);
    const { avatar_url: shown } = (await api.call("GET", "/users/alice")).json;
    expect(shown).toContain(createHash("sha256").update(picture).digest("hex"));
    const served = await api.app.request(new URL(shown).pathname);
    expect(Buffer.from(await served.arrayBuffer()).equals(picture)).toBe(true);
  });

  it("400: what is no base64; 422: what is no picture; 401: anonymous", async () => {
    for (const image of ["Invalid", "a=b="])
      expect((await api.call("POST", "/user/avatar", { as: alice, body: { image } })).status).toBe(400);
    const body = { image: Buffer.from("<svg/>").toString("base64") };
    expect((await api.call("POST", "/user/avatar", { as: alice, body })).status).toBe(422);
    expect((await api.call("POST", "/user/avatar", { body })).status).toBe(401);
  });
});

describe("userDeleteAvatar", () => {
  it("204: gone at once, and again; 401: anonymous", async () => {
    const body = { image: picture.toString("base64") };
    const before = (await api.call("GET", "/user", { as: admin })).json.avatar_url;
    await api.call("POST", "/user/avatar", { as: admin, body });
    for (let times = 0; times < 2; times += 1)
      expect((await api.call("DELETE", "/user/avatar", { as: admin })).status).toBe(204);
    expect((await api.call("GET", "/user", { as: admin })).json.avatar_url).toBe(before);
    expect((await api.call("DELETE", "/user/avatar")).status).toBe(401);
  });
});
