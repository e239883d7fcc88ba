import { gzipSync } from "node:zlib";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import { Hono } from "hono";
import { handle } from "hono/aws-lambda";
import { afterEach, describe, expect, it } from "vitest";
import { type Edge, type EdgeOptions, startEdge } from "#tests/support/edge/edge";
import { type Ask, ask } from "./ask.ts";

const echo = async (event: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> => ({
  statusCode: 200,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(event),
});
const unused = () => {
  throw new Error("git was asked");
};

describe("the edge in front of the API", () => {
  let edge: Edge;
  afterEach(() => edge.stop());

  const start = async (options: Partial<EdgeOptions> = {}) => {
    edge = await startEdge({ api: echo, git: unused, ...options });
    return edge.url;
  };
  const eventOf = async (asked: Ask) => {
    const { status, body } = await ask(edge.url, asked);
    expect(status).toBe(200);
    return JSON.parse(body.toString()) as APIGatewayProxyEventV2;
  };

  it("decodes the path, cuts it at a decoded question mark, and keeps the untouched one in a header", async () => {
    await start();
    const event = await eventOf({ path: "/api/v1/a%2Fb%3Fc/d%23?x=1&y=%2F&x=2" });
    expect(event.rawPath).toBe("/api/v1/a/b");
    expect(event.requestContext.http.path).toBe("/api/v1/a/b");
    expect(event.rawQueryString).toBe("x=1&y=%2F&x=2");
    expect(event.queryStringParameters).toEqual({ x: "1,2", y: "/" });
    expect(event.headers["x-coldforge-uri"]).toBe("/api/v1/a%2Fb%3Fc/d%23");
  });

  it("sends the API's paths there, the pages and the address of the node information too, and the rest to git", async () => {
    await start({ git: "http://127.0.0.1:9" });
    for (const path of [
      "/api/v1/version",
      "/avatars/x",
      "/user/login",
      "/swagger.v1.json",
      "/.well-known/nodeinfo",
      "/login/oauth/keys",
      "/.well-known/openid-configuration",
    ]) {
      expect((await eventOf({ path })).rawPath).toBe(path);
    }
    for (const path of ["/.well-known/other", "/users/login", "/username/repo"]) {
      expect((await ask(edge.url, { path })).status).toBe(502);
    }
  });

  it("joins repeated headers in lower case and takes cookies apart", async () => {
    await start();
    const event = await eventOf({
      path: "/api/v1",
      headers: { "X-Thing": ["one", "two"], Cookie: "a=1; b=2", Authorization: "token abc" },
    });
    expect(event.headers).toMatchObject({ "x-thing": "one,two", authorization: "token abc" });
    expect(event.cookies).toEqual(["a=1", "b=2"]);
    expect(event.headers).not.toHaveProperty("cookie");
  });

  it("adds the origin secret and the client's address, and drops copies that a client forged", async () => {
    await start({ originSecret: 'a"quote' });
    const event = await eventOf({
      path: "/api/v1/x",
      headers: {
        "X-Coldforge-Origin": ["guess", "again"],
        "x-coldforge-uri": "/api/v1/admin",
        "x-coldforge-client": "10.0.0.1",
        "X-Forwarded-For": "10.0.0.1",
      },
    });
    expect(event.headers).toMatchObject({
      "x-coldforge-origin": 'a"quote',
      "x-coldforge-uri": "/api/v1/x",
      "x-coldforge-client": "127.0.0.1",
      "x-forwarded-for": "10.0.0.1, 127.0.0.1, 130.176.0.10",
      "x-forwarded-host": new URL(edge.url).host,
    });
    expect(event.requestContext.http.sourceIp).toBe("130.176.0.10");
    expect(event.headers.host).toMatch(/amazonaws\.com$/);
  });

  it("hands JSON on as text, and bytes and encoded bodies in base64", async () => {
    await start();
    const json = { path: "/api/v1", method: "POST", headers: { "content-type": "application/json" } };
    expect(await eventOf({ ...json, body: '{"ä":1}' })).toMatchObject({
      body: '{"ä":1}',
      isBase64Encoded: false,
    });
    const zipped = gzipSync("{}");
    const encoded = { ...json, headers: { ...json.headers, "content-encoding": "gzip" }, body: zipped };
    expect(await eventOf(encoded)).toMatchObject({ body: zipped.toString("base64"), isBase64Encoded: true });
    const form = { ...json, headers: { "content-type": "application/x-www-form-urlencoded" }, body: "a=b" };
    expect(await eventOf(form)).toMatchObject({ body: "YT1i", isBase64Encoded: true });
    expect(await eventOf({ path: "/api/v1" })).not.toHaveProperty("body");
  });

  it("waits for all chunks of a body, states its length, and lets trailers go", async () => {
    await start();
    const event = await eventOf({
      path: "/api/v1",
      method: "POST",
      headers: { "content-type": "text/plain", "transfer-encoding": "chunked", trailer: "x-sum" },
      body: ["one ", "two"],
      trailers: { "x-sum": "7" },
    });
    expect(event.body).toBe("one two");
    expect(event.headers).toMatchObject({ "content-length": "7" });
    expect(event.headers).not.toHaveProperty("transfer-encoding");
    expect(event.headers).not.toHaveProperty("x-sum");
    expect(event.headers).not.toHaveProperty("trailer");
  });

  it("400: a path that can't be decoded never reaches the function", async () => {
    await start();
    expect(await ask(edge.url, { path: "/api/v1/%zz" })).toMatchObject({ status: 400 });
  });

  it("403: a GET with a body, and a method that CloudFront doesn't know", async () => {
    await start();
    const withBody = { path: "/api/v1", headers: { "content-length": "1" }, body: "x" };
    expect(await ask(edge.url, withBody)).toMatchObject({ status: 403 });
    expect(await ask(edge.url, { path: "/api/v1", method: "PROPFIND" })).toMatchObject({ status: 403 });
  });

  it("413: a body over the gateway's limit, and bytes that base64 carries over Lambda's", async () => {
    await start({ gatewayBodyBytes: 10_000, lambdaPayloadBytes: 6_000 });
    const post = { path: "/api/v1", method: "POST" };
    const text = { ...post, headers: { "content-type": "text/plain" } };
    expect(await ask(edge.url, { ...text, body: "x".repeat(10_001) })).toMatchObject({ status: 413 });
    expect(await ask(edge.url, { ...text, body: "x".repeat(4_500) })).toMatchObject({ status: 200 });
    expect(await ask(edge.url, { ...post, body: "x".repeat(4_500) })).toMatchObject({ status: 413 });
  });

  it("500: an answer over Lambda's limit, a handler that throws, one that takes too long", async () => {
    const huge = async () => ({ statusCode: 200, body: "x".repeat(6_000) });
    await start({ api: huge, lambdaPayloadBytes: 5_000 });
    expect(await ask(edge.url, { path: "/api/v1" })).toMatchObject({ status: 500 });
    await edge.stop();
    await start({ api: () => Promise.reject(new Error("thrown on purpose")) });
    expect(await ask(edge.url, { path: "/api/v1" })).toMatchObject({ status: 500 });
    await edge.stop();
    await start({ api: () => new Promise(() => undefined), apiTimeoutMs: 20 });
    const { status, body } = await ask(edge.url, { path: "/api/v1" });
    expect([status, JSON.parse(body.toString())]).toEqual([500, { message: "Internal Server Error" }]);
  });

  it("504: an origin that stays silent longer than CloudFront waits", async () => {
    await start({ api: () => new Promise(() => undefined), apiIdleTimeoutMs: 20, apiTimeoutMs: 200 });
    expect(await ask(edge.url, { path: "/api/v1" })).toMatchObject({ status: 504 });
  });

  it("renames WWW-Authenticate, and the origin-response trigger puts it back", async () => {
    const api = async () => ({ statusCode: 401, headers: { "WWW-Authenticate": 'Basic realm="forge"' } });
    await start({ api, restoresChallenge: false });
    const bare = await ask(edge.url, { path: "/api/v1" });
    expect(bare.headers).not.toHaveProperty("www-authenticate");
    expect(bare.headers["x-amzn-remapped-www-authenticate"]).toBe('Basic realm="forge"');
    await edge.stop();
    await start({ api });
    const restored = await ask(edge.url, { path: "/api/v1" });
    expect(restored.status).toBe(401);
    expect(restored.headers["www-authenticate"]).toBe('Basic realm="forge"');
    expect(restored.headers).not.toHaveProperty("x-amzn-remapped-www-authenticate");
  });

  describe("with hono's adapter", () => {
    const bytes = new Uint8Array([0, 255, 128]);
    const app = new Hono()
      .get("/api/v1/cookies", (c) => {
        c.header("set-cookie", "a=1; Path=/");
        c.header("set-cookie", "b=2; Path=/", { append: true });
        return c.body(null, 204);
      })
      .get("/api/v1/bytes", (c) => c.body(bytes, 200, { "content-type": "application/octet-stream" }))
      .get("/api/v1/untyped", (c) => c.body(bytes))
      .post("/api/v1/body", async (c) =>
        c.body(await c.req.arrayBuffer(), 200, { "content-type": "application/octet-stream" }),
      );

    it("carries several cookies, an empty answer, and bytes both ways", async () => {
      await start({ api: handle(app) });
      const cookies = await ask(edge.url, { path: "/api/v1/cookies" });
      expect(cookies).toMatchObject({ status: 204, body: Buffer.alloc(0) });
      expect(cookies.headers["set-cookie"]).toEqual(["a=1; Path=/", "b=2; Path=/"]);
      const answered = await ask(edge.url, { path: "/api/v1/bytes" });
      expect(answered.body).toEqual(Buffer.from(bytes));
      const sent = Buffer.from([1, 2, 3, 250, 0]);
      const echoed = await ask(edge.url, { path: "/api/v1/body", method: "POST", body: sent });
      expect(echoed.body).toEqual(sent);
    });

    it("spoils bytes that state no type: the adapter takes them for text", async () => {
      await start({ api: handle(app) });
      const answered = await ask(edge.url, { path: "/api/v1/untyped" });
      expect(answered.body).not.toEqual(Buffer.from(bytes));
    });

    it("answers HEAD with the headers and no body", async () => {
      await start({ api: handle(app) });
      const head = await ask(edge.url, { path: "/api/v1/bytes", method: "HEAD" });
      expect(head).toMatchObject({ status: 200, body: Buffer.alloc(0) });
      expect(head.headers["content-type"]).toBe("application/octet-stream");
    });
  });
});
