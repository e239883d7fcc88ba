import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeApi, type TestApi } from "#tests/support/api";

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

  it("403 for anonymous callers where sign-in is required (semantics 2.3)", async () => {
    const closed = await makeApi({ settings: { REQUIRE_SIGNIN_VIEW: "true" } });
    expect((await closed.call("GET", "/version")).status).toBe(403);
    expect((await closed.call("GET", "/version", { as: await closed.makeUser() })).status).toBe(200);
    await closed.stop();
  });
});

describe("getNodeInfo", () => {
  it("200: node information 2.1", async () => {
    const { json } = await api.call("GET", "/nodeinfo");
    expect(json).toMatchObject({ version: "2.1", software: { name: "coldforge" }, openRegistrations: false });
  });
});
