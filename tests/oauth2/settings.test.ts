import { describe, expect, it } from "vitest";
import type { Provider } from "./provider.ts";
import { startProvider } from "./provider.ts";

let provider: Provider;

const token = "/login/oauth/access_token";
const fields = { grant_type: "authorization_code", code: "x" };

describe("settings of OAuth2 (semantics §68)", () => {
  it("404 for every endpoint when it is switched off", async () => {
    provider = await startProvider({ OAUTH2_ENABLED: "false" });
    const paths = ["/login/oauth/keys", "/login/oauth/userinfo", "/.well-known/openid-configuration"];
    for (const path of paths) expect((await fetch(provider.url + path)).status).toBe(404);
    expect((await provider.post(token, fields)).status).toBe(404);
  });

  it("pages of other sites may ask for tokens where CORS is on, and nowhere else", async () => {
    const preflight = async () => {
      const headers = { origin: "https://editor.example", "access-control-request-method": "POST" };
      return fetch(provider.url + token, { method: "OPTIONS", headers });
    };
    provider = await startProvider({ CORS_ENABLED: "true", CORS_ALLOW_DOMAIN: "https://editor.example" });
    const granted = await preflight();
    expect(granted.headers.get("access-control-allow-origin")).toBe("https://editor.example");
    provider = await startProvider();
    expect((await preflight()).headers.get("access-control-allow-origin")).toBeNull();
  });

  it("429 once a network has asked for too many tokens (D-RATE)", async () => {
    provider = await startProvider({ RATE_HEAVY: "2" });
    const answers = [];
    for (let sent = 0; sent < 3; sent += 1) answers.push((await provider.post(token, fields)).status);
    expect(answers).toEqual([400, 400, 429]);
  });

  it("a built-in client that the setting leaves out is none", async () => {
    provider = await startProvider({ DEFAULT_APPLICATIONS: "tea" });
    const of = async (client_id: string) => (await provider.post(token, { ...fields, client_id })).json.error;
    expect(await of("d57cb8c4-630c-4168-8324-ec79935e18d4")).toBe("unauthorized_client");
    expect(await of("a4792ccc-144e-407e-86c9-5e7d8d9c3269")).toBe("invalid_client");
  });

  it("id tokens are signed as JWT_SIGNING_ALGORITHM says", async () => {
    provider = await startProvider({ JWT_SIGNING_ALGORITHM: "ES256" });
    const { keys } = (await (await fetch(`${provider.url}/login/oauth/keys`)).json()) as { keys: object[] };
    expect(keys).toMatchObject([{ kty: "EC", crv: "P-256", alg: "ES256", use: "sig" }]);
  });
});
