import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { basic, type Caller, makeApi, type TestApi } from "#tests/support/api";

let api: TestApi;
beforeAll(async () => {
  api = await makeApi();
});
afterAll(() => api.stop());

describe("getVersion", () => {
  it("D-VERSION: 200 with the compatibility level and the product's own version", async () => {
    const { status, json } = await api.call("GET", "/version");
    expect(status).toBe(200);
    expect(json).toEqual({
      version: "12.0.0+gitea-1.22.0",
      product_version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    });
  });

  it("asks nothing of the three services", async () => {
    const { headers } = await api.call("GET", "/version");
    expect(headers.get("server-timing")).toContain('"0 requests, 0 read and 0 write units"');
  });

  it("403 for anonymous callers where sign-in is required (semantics §2.3)", async () => {
    const closed = await makeApi({ settings: { REQUIRE_SIGNIN_VIEW: "true" } });
    expect((await closed.call("GET", "/version")).status).toBe(403);
    expect((await closed.call("GET", "/version", { as: await closed.makeUser() })).status).toBe(200);
    await closed.stop();
  });
});

describe("getNodeInfo", () => {
  const day = 86_400_000;
  const make = () => makeApi({ simulation: false });
  const usageIn = async (of: TestApi) => {
    of.clock.advance(180_000);
    const { status, json } = await of.call("GET", "/nodeinfo");
    expect(status).toBe(200);
    return json.usage;
  };

  it("200: node information 2.1 (NS-4)", async () => {
    const { json } = await api.call("GET", "/nodeinfo");
    expect(json).toMatchObject({ version: "2.1", software: { name: "coldforge" }, openRegistrations: false });
  });

  it("200: counts accounts, issues and comments; not organizations, nor what was deleted", async () => {
    const instance = await make();
    const users = { total: 0, activeHalfyear: 0, activeMonth: 0 };
    expect(await usageIn(instance)).toEqual({ users, localPosts: 0, localComments: 0 });
    const ada = await instance.makeUser({ name: "ada" });
    await instance.makeUser();
    const post = (path: string, body: object) => instance.call("POST", path, { as: ada, body });
    await post("/orgs", { username: "guild" });
    for (const path of ["/user/repos", "/orgs/guild/repos"]) await post(path, { name: "engine" });
    for (const owner of ["ada", "guild"]) {
      const issues = `/repos/${owner}/engine/issues`;
      for (const title of ["one", "two"]) await post(issues, { title });
      for (const body of ["a", "b", "c"]) await post(`${issues}/1/comments`, { body });
    }
    await instance.call("PATCH", "/repos/ada/engine/issues/2", { as: ada, body: { state: "closed" } });
    await instance.call("DELETE", "/repos/guild/engine/issues/2", { as: ada });
    const counted = { total: 2, activeHalfyear: 1, activeMonth: 1 };
    expect(await usageIn(instance)).toEqual({ users: counted, localPosts: 3, localComments: 6 });
    await instance.stop();
  });

  it("200: active is who used their account within 30 and 180 days, by token or password, each once", async () => {
    const instance = await make();
    const active = async () => {
      const { users } = await usageIn(instance);
      return [users.activeMonth, users.activeHalfyear];
    };
    const callers = [await instance.makeUser(), await instance.makeUser(), await instance.makeUser()];
    const [one, two, three] = callers as [Caller, Caller, Caller];
    const use = (as: Caller) => instance.call("GET", "/user", { as });
    await Promise.all(Array.from({ length: 8 }, () => use(one)));
    await use(two);
    expect(await active()).toEqual([2, 2]);
    await instance.call("GET", "/user", { headers: basic(three.name, three.password) });
    instance.clock.advance(29 * day);
    await use(one);
    expect(await active()).toEqual([3, 3]);
    instance.clock.advance(day);
    expect(await active()).toEqual([1, 3]);
    instance.clock.advance(150 * day);
    expect(await active()).toEqual([0, 1]);
    await use(two);
    expect(await active()).toEqual([1, 2]);
    await instance.stop();
  });

  it("asks nothing of the three services again within three minutes; notes an account once a day", async () => {
    const cost = async (as?: Caller) =>
      (await api.call("GET", as ? "/version" : "/nodeinfo", { as })).headers.get("server-timing");
    await cost();
    expect(await cost()).toContain('"0 requests, 0 read and 0 write units"');
    const user = await api.makeUser();
    await cost(user);
    expect(await cost(user)).toContain("0 write units");
  });
});

describe("/.well-known/nodeinfo", () => {
  it("200: leads to the node information", async () => {
    const response = await api.app.request("/.well-known/nodeinfo");
    expect([response.status, await response.json()]).toEqual([
      200,
      {
        links: [
          {
            href: "http://127.0.0.1:3000/api/v1/nodeinfo",
            rel: "http://nodeinfo.diaspora.software/ns/schema/2.1",
          },
        ],
      },
    ]);
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  });
});
