import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";

let api: TestApi;
let admin: Caller;
let alice: Caller;

beforeAll(async () => {
  api = await makeApi();
  admin = await api.makeUser({ name: "boss", isAdmin: true });
  alice = await api.makeUser({ name: "Alice" });
});
afterAll(() => api.stop());

const create = (body: object, as?: Caller) => api.call("POST", "/admin/users", { as, body });
const complete = (name: string) => ({
  username: name,
  email: `${name}@example.org`,
  password: "long enough",
});

describe("adminCreateUser", () => {
  it("201: answers the user as given", async () => {
    const answer = await create({ ...complete("Carol"), full_name: "Carol C", visibility: "limited" }, admin);
    expect(answer.status).toBe(201);
    expect(answer.json).toMatchObject({
      login: "Carol",
      username: "Carol",
      full_name: "Carol C",
      email: "Carol@example.org",
      visibility: "limited",
      is_admin: false,
      active: true,
    });
    expect(answer.json.id).toBeGreaterThan(0);
  });

  it("201: the account is there at once, under any case of its name", async () => {
    await create(complete("dora"), admin);
    expect((await api.call("GET", "/users/DORA")).json.login).toBe("dora");
  });

  it("201: created_at may lie in the past", async () => {
    const answer = await create({ ...complete("erin"), created_at: "2019-05-04T10:00:00+02:00" }, admin);
    expect(answer.json.created).toBe("2019-05-04T08:00:00Z");
  });

  it("AUTH-1: 401 anonymous, 403 for a caller who is no administrator (D-ANON)", async () => {
    expect((await create(complete("frank"))).status).toBe(401);
    expect((await create(complete("frank"), alice)).status).toBe(403);
  });

  it("403: an administrator's token without the admin scope, and the message names it", async () => {
    const token = await api.makeToken(admin, ["write:user"]);
    const answer = await api.call("POST", "/admin/users", {
      body: complete("frank"),
      headers: { authorization: `token ${token}` },
    });
    expect(answer.status).toBe(403);
    expect(answer.json.message).toContain("write:admin");
  });

  it("422: a name or an address that is taken, whatever its case (D-ADMIN)", async () => {
    expect((await create({ ...complete("ALICE") }, admin)).json.message).toContain("user already exists");
    const sameEmail = { ...complete("alice2"), email: "ALICE@EXAMPLE.COM" };
    const answer = await create(sameEmail, admin);
    expect(answer.status).toBe(422);
    expect(answer.json.message).toContain("e-mail already in use");
  });

  it.each([
    ["bad name!", "Username"],
    ["-x", "Username"],
    ["x-", "Username"],
    ["a--b", "Username"],
    ["a".repeat(41), "Username"],
    ["", "Username"],
    ["admin", "reserved"],
    ["Ghost", "reserved"],
    ["x.keys", "reserved"],
    ["ünïcode", "Username"],
  ])("422: the name %j is refused and the message says %s", async (name, word) => {
    const answer = await create({ ...complete("grace"), username: name }, admin);
    expect(answer.status).toBe(422);
    expect(answer.json.message).toContain(word);
  });

  it.each([
    [{ email: undefined }, "[Email]: Required"],
    [{ email: "nobody" }, "[Email]"],
    [{ email: "a b@example.org" }, "[Email]"],
    [{ password: undefined }, "[Password]: Required"],
    [{ password: "short" }, "[Password]"],
    [{ full_name: "x".repeat(101) }, "[FullName]: MaxSize"],
    [{ visibility: "secret" }, "[Visibility]: In"],
  ])("422: %j", async (change, expected) => {
    const answer = await create({ ...complete("heidi"), ...change }, admin);
    expect(answer.status).toBe(422);
    expect(answer.json.message).toContain(expected);
  });

  it("an account that must change its password can't use the API until then", async () => {
    await create(complete("ivan"), admin);
    const basic = { authorization: `Basic ${Buffer.from("ivan:long enough").toString("base64")}` };
    const answer = await api.call("GET", "/user", { headers: basic });
    expect(answer.status).toBe(403);
    expect(answer.json.message).toContain("password");
  });

  it("of ten that race for one name, one wins", async () => {
    const tries = Array.from({ length: 10 }, (_, index) =>
      create({ ...complete("racer"), email: `racer${index}@example.org` }, admin),
    );
    const statuses = (await Promise.all(tries)).map((answer) => answer.status).sort();
    expect(statuses).toEqual([201, ...Array.from({ length: 9 }, () => 422)]);
  });
});

describe("userGetCurrent", () => {
  it("200: the caller with his private fields", async () => {
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
  it("200: anonymous callers see a hidden address and no private fields (semantics 3.4)", async () => {
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
});
