import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createGitApp } from "#functions/git/app";
import { createGitResolver } from "#functions/git/resolve";
import { basic, type Caller, makeApi, type TestApi } from "#tests/support/api";

let api: TestApi;
let victim: Caller;

beforeAll(async () => {
  api = await makeApi({ settings: { MAX_LOGIN_FAILURES: "3" } });
  victim = await api.makeUser({ name: "victim" });
});
afterAll(() => api.stop());

const login = (name: string, password: string, address: string) =>
  api.call("GET", "/user", { headers: basic(name, password), address });

async function fail(times: number, address: string, name = "victim") {
  for (let tries = 0; tries < times; tries += 1)
    expect((await login(name, "wrong", address)).status).toBe(401);
}

describe("failed logins", () => {
  it("429 with Retry-After once too many failed from one address; the right password is not even looked at", async () => {
    await fail(3, "203.0.113.1");
    const refusal = await login("victim", victim.password, "203.0.113.1");
    expect([refusal.status, refusal.json.message]).toEqual([429, expect.stringContaining("too many")]);
    const seconds = Number(refusal.headers.get("retry-after"));
    expect(seconds).toBeGreaterThan(0);
    api.clock.advance(seconds * 1000);
    expect((await login("victim", victim.password, "203.0.113.1")).status).toBe(200);
  });

  it("never lock the owner out: elsewhere, with a token, or where they were let in within the minute", async () => {
    expect((await login("victim", victim.password, "203.0.113.2")).status).toBe(200);
    await fail(3, "203.0.113.2");
    expect((await login("victim", "wrong", "203.0.113.2")).status).toBe(429);
    expect((await login("victim", victim.password, "203.0.113.2")).status).toBe(200);
    expect((await login("victim", victim.token, "203.0.113.2")).status).toBe(200);
    expect((await login("victim", victim.password, "203.0.113.3")).status).toBe(200);
  });

  it("count for names that nobody has, in the same way, and whatever the case", async () => {
    await fail(2, "203.0.113.4", "nobody");
    await fail(1, "203.0.113.4", "NOBODY");
    expect((await login("nobody", "wrong", "203.0.113.4")).status).toBe(429);
  });

  it("of one address on many accounts together have a bound of their own, an IPv6 network counting as one", async () => {
    for (let account = 0; account < 30; account += 1)
      await fail(1, `2001:db8::${account + 1}`, `account-${account}`);
    expect((await login("victim", "wrong", "2001:db8::ffff")).status).toBe(429);
    expect((await login("victim", "wrong", "2001:db8:0:1::1")).status).toBe(401);
  });

  it("429 for all but three of ten that come at once", async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) => login("victim", `wrong-${at}`, "203.0.113.6")),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(3);
    expect(statuses.filter((status) => status === 429)).toHaveLength(7);
  });

  it("429 with Retry-After for git, too", async () => {
    const git = createGitApp({ forge: api.forge, resolve: createGitResolver(api.forge) });
    const ask = () =>
      git.request(
        "/victim/nothing/info/refs?service=git-upload-pack",
        { headers: basic("victim", "wrong") },
        { clientAddress: "203.0.113.7" },
      );
    for (let tries = 0; tries < 3; tries += 1) expect((await ask()).status).toBe(401);
    const refusal = await ask();
    expect([refusal.status, refusal.headers.has("retry-after")]).toEqual([429, true]);
  });

  it("cost nothing on success: no write, and one request once the login is known", async () => {
    const login = () =>
      api.call("GET", "/user", { headers: basic("victim", victim.password), address: "203.0.113.8" });
    await login();
    expect((await login()).headers.get("server-timing")).toMatch(
      /table;desc="1 requests, 3 read and 0 write units"/,
    );
  });
});
