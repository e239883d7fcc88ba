import { Hono } from "hono";
import { handle } from "hono/aws-lambda";
import { describe, expect, it, onTestFinished } from "vitest";
import { readConfig } from "#core/config";
import { behindOrigin } from "#functions/http/origin";
import { startEdge } from "#tests/support/edge/edge";
import { ask } from "./ask.ts";

const secret = "an-origin-secret-of-32-characters";
const app = new Hono().all("*", (context) =>
  context.json({ url: context.req.url, headers: context.req.header() }),
);

/** What an app behind the edge sees of a request. */
async function seen(path: string, settings: Record<string, string>, headers = {}) {
  const api = handle(behindOrigin(app, readConfig(settings)));
  const edge = await startEdge({ api, git: () => undefined, originSecret: secret });
  onTestFinished(() => edge.stop());
  const { status, body } = await ask(edge.url, { path, headers });
  return { status, ...(JSON.parse(body.toString()) as { url: string; headers: Record<string, string> }) };
}

describe("behindOrigin", () => {
  it("gives the app the path as the client sent it, and the whole query (D-RAWPATH)", async () => {
    for (const path of [
      "/api/v1/repos/a/b/branches/x%2Fy?limit=1",
      "/api/v1/raw/a%3Fb?ref=main&x=%2F",
      "/api/v1/raw/a%23b?ref=main",
      "/api/v1/raw/%25%20%C3%A4",
      "/api/v1/x",
    ]) {
      const { url } = await seen(path, { ORIGIN_SECRET: secret });
      expect(url.slice(new URL(url).origin.length)).toBe(path);
    }
  });

  it("hides the edge's headers from the app", async () => {
    const { headers } = await seen("/api/v1/x", { ORIGIN_SECRET: secret });
    expect(Object.keys(headers).filter((name) => name.startsWith("x-coldforge-"))).toEqual([]);
  });

  it("403: the secret is another one", async () => {
    const { status } = await seen("/api/v1/x", { ORIGIN_SECRET: `${secret}!` });
    expect(status).toBe(403);
  });

  it("believes no header of the edge without a secret", async () => {
    const { url } = await seen("/api/v1/a%2Fb", {});
    expect(new URL(url).pathname).toBe("/api/v1/a/b");
  });
});
