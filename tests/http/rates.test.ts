import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Cost, type Counted, tryCount } from "#core/caller/rates";
import { createApi } from "#functions/api/app";
import { basic, type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, pushFiles } from "#tests/support/code";
import { measured } from "#tests/support/measured";
import { lowRates } from "#tests/support/suite/rates";

let api: TestApi;
let alice: Caller;
let bob: Caller;
let root: Caller;

beforeAll(async () => {
  api = await makeApi({ settings: lowRates });
  [alice, bob] = [await api.makeUser({ name: "alice" }), await api.makeUser({ name: "bob" })];
  root = await api.makeUser({ name: "root", isAdmin: true });
  await makeRepository(api, alice, "tale");
  await pushFiles(api, alice, "tale", { files: { "a.md": "one\n" } });
});
afterAll(() => api.stop());
beforeEach(() => api.clock.advance(120_000));

const home = "192.0.2.1";
/** Sends all but this many of the requests that a caller may send. */
function useUp(who: Counted, cost: Cost, but = 0): void {
  const perMinute = { light: 6_000, heavy: 600, git: 600, "git-request": 2_400, password: 30 }[cost];
  for (let sent = 0; sent < perMinute - but; sent += 1) expect(tryCount(api.forge, who, cost)).toBe(0);
}
const account = ({ user }: Caller): Counted => ({ userId: user.id });
const status = async (...request: Parameters<TestApi["call"]>) => (await api.call(...request)).status;

describe("calls of the API (D-RATE)", () => {
  it("429 in the API's form with Retry-After for one more than an anonymous network may send (LIM-7); later they work again", async () => {
    useUp({ address: home }, "light", 1);
    expect(await status("GET", "/repos/alice/tale")).toBe(200);
    const refusal = await api.call("GET", "/repos/alice/tale");
    expect([refusal.status, refusal.headers.get("retry-after")]).toEqual([429, "1"]);
    expect(refusal.json).toEqual({
      message:
        "too many requests from your network, which may send 6000 a minute: try again in 1 second, or log in to be counted by account",
      url: "http://127.0.0.1:3000/api/swagger",
    });
    api.clock.advance(1_000);
    expect(await status("GET", "/repos/alice/tale")).toBe(200);
  });

  it("a refused anonymous call reads nothing, and no call writes anything for being counted", async () => {
    useUp({ address: home }, "light", 1);
    const call = () => api.call("GET", "/repos/alice/tale");
    expect((await measured(call)).usage).toMatchObject({ tableWriteUnits: 0, blobWrites: 0 });
    const { result, usage } = await measured(call);
    expect([result.status, usage.tableRequests]).toEqual([429, 0]);
  });

  it("other networks go on, and so does who is signed in, from the very network that sends too much", async () => {
    useUp({ address: home }, "light");
    expect(await status("GET", "/version")).toBe(429);
    expect(await status("GET", "/version", { address: "192.0.2.2" })).toBe(200);
    expect(await status("GET", "/user", { as: alice })).toBe(200);
    expect(await status("GET", "/user", { headers: basic("bob", bob.password) })).toBe(200);
  });

  it("an account's tokens and password count together, wherever they come from; another account's do not", async () => {
    const token = await api.makeToken(alice, ["read:user"]);
    expect(await status("GET", "/user", { headers: basic("alice", alice.password) })).toBe(200);
    useUp(account(alice), "light", 2);
    expect(await status("GET", "/user", { headers: { authorization: `token ${token}` } })).toBe(200);
    const refusal = await api.call("GET", "/user", { as: alice, address: "192.0.2.7" });
    expect([refusal.status, refusal.json.message]).toEqual([
      429,
      expect.stringContaining("from your account"),
    ]);
    expect(await status("GET", "/user", { headers: basic("alice", alice.password) })).toBe(429);
    expect(await status("GET", "/user", { as: bob })).toBe(200);
  });

  it("sudo counts for the administrator who sends it", async () => {
    useUp(account(alice), "light");
    const headers = { sudo: "alice" };
    expect(await status("GET", "/user", { as: root, headers })).toBe(200);
    useUp(account(root), "light", 1);
    expect(await status("GET", "/user", { as: root, headers })).toBe(429);
  });

  it("heavy operations have a rate of their own, for the repository that is not there as well", async () => {
    useUp({ address: home }, "heavy", 2);
    expect(await status("GET", "/repos/alice/tale/commits")).toBe(200);
    expect(await status("GET", "/repos/alice/absent/compare/a...b")).toBe(404);
    for (const path of ["/repos/alice/tale/commits", "/repos/alice/tale/archive/main.zip", "/repos/search"]) {
      expect(await status("GET", path)).toBe(429);
    }
    expect(await status("POST", "/markdown", { body: { Text: "a" } })).toBe(429);
    expect(await status("GET", "/repos/alice/tale/issues?q=word")).toBe(429);
    expect(await status("GET", "/repos/alice/tale/issues")).toBe(200);
    expect(await status("GET", "/repos/alice/tale/commits", { as: bob })).toBe(200);
  });

  it("credentials that do not hold count for the network, which those that hold do not notice", async () => {
    useUp({ address: home }, "light", 1);
    const wrong = { authorization: `token ${"0".repeat(40)}` };
    expect(await status("GET", "/user", { headers: wrong })).toBe(401);
    expect(await status("GET", "/user", { headers: wrong })).toBe(429);
    expect(await status("GET", "/user", { as: alice })).toBe(200);
  });

  it("of an IPv6 network the last 64 bits change nothing", async () => {
    useUp({ address: "2001:db8::1" }, "heavy");
    expect(await status("GET", "/repos/search", { address: "2001:db8::ffff:1" })).toBe(429);
    expect(await status("GET", "/repos/search", { address: "2001:db8:0:1::1" })).toBe(200);
  });

  it("nobody makes themselves another caller by X-Forwarded-For, unless a trusted proxy says so", async () => {
    const from = (app: TestApi["app"], forwarded: string) =>
      app.request(
        "/api/v1/version",
        { headers: { "x-forwarded-for": forwarded } },
        { incoming: { socket: { remoteAddress: "203.0.113.1" } } },
      );
    useUp({ address: "203.0.113.1" }, "light");
    expect((await from(api.app, "192.0.2.99")).status).toBe(429);
    const config = { ...api.forge.config, trustedProxies: ["203.0.113.1"], rateLight: 1 };
    const proxied = createApi({ forge: { ...api.forge, config } });
    const statuses = [];
    for (const forwarded of ["192.0.2.98", "192.0.2.99", "192.0.2.98, 192.0.2.99"]) {
      statuses.push((await from(proxied, forwarded)).status);
    }
    expect(statuses).toEqual([200, 200, 429]);
  });

  it("pictures count as light and documents as heavy, health checks not at all", async () => {
    useUp({ address: home }, "light");
    useUp({ address: home }, "heavy");
    const ask = async (path: string) => {
      const answer = await api.app.request(path, {}, { clientAddress: home });
      return [answer.status, answer.headers.get("retry-after")];
    };
    for (const path of ["/avatars/0", "/api/v1/openapi.json", "/swagger.v1.json", "/api/swagger"]) {
      expect(await ask(path)).toEqual([429, "1"]);
    }
    expect(await ask("/api/healthz")).toEqual([200, null]);
  });

  it("RATE_LIMITS=false refuses nothing", async () => {
    useUp({ address: home }, "light");
    const app = createApi({ forge: { ...api.forge, config: { ...api.forge.config, rateLimits: false } } });
    expect((await app.request("/api/v1/version", {}, { clientAddress: home })).status).toBe(200);
  });
});

describe("checks of passwords (D-RATE)", () => {
  const login = (name: string, password: string, address = "203.0.113.9") =>
    api.call("GET", "/user", { headers: basic(name, password), address });

  it("429: no more are begun than a network may have checked, whoever is named and however many come at once", async () => {
    const statuses: number[] = [];
    for (let begun = 0; begun < 80; begun += 10) {
      const ten = Array.from({ length: 10 }, (_, at) => login(`stranger-${begun + at}`, "wrong"));
      statuses.push(...(await Promise.all(ten)).map((answer) => answer.status));
    }
    expect(statuses.filter((one) => one === 401)).toHaveLength(30);
    expect(statuses.filter((one) => one === 429)).toHaveLength(50);
    const right = await login("bob", bob.password);
    expect([right.status, right.headers.get("retry-after")]).toEqual([429, "2"]);
    expect(right.json.message).toMatch(/or use an access token$/);
    expect((await login("bob", bob.token)).status).toBe(200);
    expect((await login("bob", bob.password, "203.0.113.10")).status).toBe(200);
    api.clock.advance(2_000);
    expect((await login("bob", bob.password)).status).toBe(200);
  });

  it("a password that was right within the minute is not checked, and so does not count", async () => {
    expect((await login("bob", bob.password)).status).toBe(200);
    useUp({ address: "203.0.113.9" }, "password", 1);
    for (let times = 0; times < 3; times += 1) expect((await login("bob", bob.password)).status).toBe(200);
    expect((await login("bob", "wrong")).status).toBe(429);
  });

  it("a new password takes two hashes, so it counts for the account", async () => {
    useUp(account(bob), "password", 1);
    const change = () =>
      api.call("PUT", "/user/password", {
        headers: basic("bob", bob.password),
        address: "203.0.113.11",
        body: { password: bob.password },
      });
    expect((await change()).status).toBe(422);
    expect((await change()).status).toBe(429);
  });
});
