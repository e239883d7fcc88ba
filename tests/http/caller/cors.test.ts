import { describe, expect, it, onTestFinished } from "vitest";
import { makeApi } from "#tests/support/api";

async function ask(settings: Record<string, string>, method: string, headers: Record<string, string>) {
  const api = await makeApi({ settings });
  onTestFinished(() => api.stop());
  return api.app.request("/api/v1/version", { method, headers });
}
const preflight = { origin: "https://app.example.org", "access-control-request-method": "POST" };
const on = { CORS_ENABLED: "true" };

describe("pages of other sites (AUTH-8, semantics §1.9)", () => {
  it("CORS_ENABLED=false: OPTIONS is 405 and nothing speaks of origins", async () => {
    const answer = await ask({}, "OPTIONS", preflight);
    expect(answer.status).toBe(405);
    expect([answer.headers.get("vary"), answer.headers.get("access-control-allow-origin")]).toEqual([
      null,
      null,
    ]);
  });

  it("200: a preflight names what may be sent", async () => {
    const { status, headers } = await ask(on, "OPTIONS", preflight);
    expect(status).toBe(200);
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("access-control-allow-methods")).toContain("PATCH");
    expect(headers.get("access-control-allow-headers")).toMatch(/Authorization.*X-Forgejo-OTP/);
    expect(headers.get("access-control-max-age")).toBe("600");
    expect(headers.get("access-control-allow-credentials")).toBe(null);
  });

  it("answers to pages carry the origin; to others Vary alone", async () => {
    expect(
      (await ask(on, "GET", { origin: "https://a.example" })).headers.get("access-control-allow-origin"),
    ).toBe("*");
    const plain = await ask(on, "GET", {});
    expect([plain.headers.get("access-control-allow-origin"), plain.headers.get("vary")]).toEqual([
      null,
      "Origin",
    ]);
  });

  it.each([
    ["https://app.example.org", "https://app.example.org", true],
    ["app.example.org", "http://app.example.org", true],
    ["https://*.example.org", "https://a.b.example.org", true],
    ["https://*.example.org", "https://example.org.evil.net", false],
    ["https://*.example.org", "https://evil.net/.example.org", false],
    ["https://app.example.org", "https://appXexample.org", false],
    ["https://app.example.org", "null", false],
  ])("CORS_ALLOW_DOMAIN=%s: %s is let in: %s", async (domain, origin, isLetIn) => {
    const settings = { ...on, CORS_ALLOW_DOMAIN: domain, CORS_ALLOW_CREDENTIALS: "true" };
    const { headers } = await ask(settings, "GET", { origin });
    expect(headers.get("access-control-allow-origin")).toBe(isLetIn ? origin : null);
    expect(headers.get("access-control-allow-credentials")).toBe(isLetIn ? "true" : null);
  });

  it("credentials are never granted to every site", async () => {
    const { headers } = await ask({ ...on, CORS_ALLOW_CREDENTIALS: "true" }, "GET", {
      origin: "https://a.example",
    });
    expect(headers.get("access-control-allow-credentials")).toBe(null);
  });
});
