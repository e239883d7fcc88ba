import { EventEmitter, once } from "node:events";
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { Hono } from "hono";
import { streamHandle } from "hono/aws-lambda";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { type Edge, type EdgeOptions, startEdge } from "#tests/support/edge/edge";
import {
  installLambdaStreaming,
  type ResponseStream,
  type StreamMetadata,
} from "#tests/support/edge/response-stream";
import { ask } from "./ask.ts";

installLambdaStreaming();

/** Starts an answer the way a streaming handler does. */
function begin(stream: ResponseStream, metadata: StreamMetadata): ResponseStream {
  return awslambda.HttpResponseStream.from(stream, { ...metadata }) as unknown as ResponseStream;
}

const echo = async (event: APIGatewayProxyEventV2, stream: ResponseStream) => {
  begin(stream, { statusCode: 200, headers: { "content-type": "application/json" } });
  stream.end(JSON.stringify(event));
};
const unused = () => {
  throw new Error("the API was asked");
};

describe("the edge in front of git", () => {
  let edge: Edge;
  afterEach(() => edge.stop());
  const start = async (options: Partial<EdgeOptions>) => {
    edge = await startEdge({ api: unused, git: echo, ...options });
    return edge.url;
  };

  it("gets every path but the API's two, with the same event as the API", async () => {
    await start({ originSecret: "secret" });
    for (const path of [
      "/a/b.git/info/refs?service=git-upload-pack",
      "/apiary",
      "/API/v1",
      "/-/x%2Fy",
      "/-/mail/unsubscribe/sealed.text",
      "/api/packages/a/npm/@s%2fp",
    ]) {
      const event = JSON.parse((await ask(edge.url, { path })).body.toString()) as APIGatewayProxyEventV2;
      expect(event.headers["x-coldforge-uri"]).toBe(path.split("?")[0]);
      expect(event.headers["x-coldforge-origin"]).toBe("secret");
    }
  });

  it("streams: what the handler wrote arrives while it still works", async () => {
    let finish: () => void = () => undefined;
    const git = async (_event: unknown, stream: ResponseStream) => {
      begin(stream, { statusCode: 200 });
      stream.write("early");
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      stream.end(" late");
    };
    await start({ git });
    const sent = httpRequest(`${edge.url}/a/b.git/git-upload-pack`, { agent: false }).end();
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    const received: string[] = [];
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      received.push(chunk.toString());
      finish();
    }
    expect(received).toEqual(["early", " late"]);
  });

  it("413: bytes that base64 carries over Lambda's limit", async () => {
    await start({ lambdaPayloadBytes: 6_000 });
    const post = { path: "/a/b.git/git-receive-pack", method: "POST" };
    expect(await ask(edge.url, { ...post, body: Buffer.alloc(4_500) })).toMatchObject({ status: 413 });
    expect(await ask(edge.url, { ...post, body: Buffer.alloc(2_000) })).toMatchObject({ status: 200 });
  });

  it("502: a handler that throws before its first write, or ends without one", async () => {
    await start({ git: () => Promise.reject(new Error("thrown on purpose")) });
    expect(await ask(edge.url, { path: "/a" })).toMatchObject({ status: 502 });
    await edge.stop();
    await start({
      git: async (_: unknown, stream: ResponseStream) => begin(stream, { statusCode: 204 }).end(),
    });
    expect(await ask(edge.url, { path: "/a" })).toMatchObject({ status: 502 });
  });

  it("504: no first byte in time; a pause in the middle breaks the connection", async () => {
    await start({ git: () => new Promise(() => undefined), gitIdleTimeoutMs: 20 });
    expect(await ask(edge.url, { path: "/a" })).toMatchObject({ status: 504 });
    await edge.stop();
    const git = (_: unknown, stream: ResponseStream) => {
      begin(stream, { statusCode: 200 }).write("first");
      return new Promise(() => undefined);
    };
    await start({ git, gitIdleTimeoutMs: 20 });
    await expect(ask(edge.url, { path: "/a" })).rejects.toThrow(/aborted|hang up/);
  });

  it("lets a slow answer through when it sends something before each pause grows too long", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const client = new EventEmitter();
    const git = async (_: unknown, stream: ResponseStream) => {
      begin(stream, { statusCode: 200 }).write("0");
      for (let beat = 1; beat <= 8; beat++) {
        await once(client, "read");
        vi.advanceTimersByTime(200);
        stream.write(String(beat));
      }
      stream.end();
    };
    await start({ git, gitIdleTimeoutMs: 250 });
    const sent = httpRequest(`${edge.url}/a`, { agent: false }).end();
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    let received = "";
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      received += chunk.toString();
      client.emit("read");
    }
    expect(received).toBe("012345678");
  });

  it("breaks off an answer over Lambda's limit, and one whose function ran out of time", async () => {
    const git = (_: unknown, stream: ResponseStream) => {
      begin(stream, { statusCode: 200 }).write("x".repeat(2_000));
      return new Promise(() => undefined);
    };
    await start({ git, streamedBytes: 1_000 });
    await expect(ask(edge.url, { path: "/a" })).rejects.toThrow(/aborted|hang up/);
    await edge.stop();
    await start({ git, gitTimeoutMs: 20 });
    await expect(ask(edge.url, { path: "/a" })).rejects.toThrow(/aborted|hang up/);
  });

  it("stops the handler's stream when the client goes away", async () => {
    const closed = vi.fn();
    const git = (_: unknown, stream: ResponseStream) => {
      stream.on("close", closed);
      begin(stream, { statusCode: 200 }).write("first");
      return new Promise(() => undefined);
    };
    await start({ git });
    const sent = httpRequest(`${edge.url}/a`, { agent: false }).end();
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    answer.on("error", () => undefined);
    sent.destroy();
    await expect.poll(() => closed).toHaveBeenCalled();
  });

  it("renames the challenge and restores it, with hono's streaming adapter", async () => {
    const app = new Hono()
      .get("/a/b.git/info/refs", (c) => c.text("who?", 401, { "WWW-Authenticate": 'Basic realm="forge"' }))
      .post("/a/b.git/git-upload-pack", (c) => c.body(c.req.raw.body ?? "", 200, { "set-cookie": "a=1" }));
    const git = streamHandle(app);
    await start({ git, restoresChallenge: false });
    const bare = await ask(edge.url, { path: "/a/b.git/info/refs" });
    expect(bare.headers["x-amzn-remapped-www-authenticate"]).toBe('Basic realm="forge"');
    await edge.stop();
    await start({ git });
    const restored = await ask(edge.url, { path: "/a/b.git/info/refs" });
    expect([restored.status, restored.body.toString()]).toEqual([401, "who?"]);
    expect(restored.headers["www-authenticate"]).toBe('Basic realm="forge"');
    const pack = Buffer.from([0, 1, 254, 255]);
    const echoed = await ask(edge.url, { path: "/a/b.git/git-upload-pack", method: "POST", body: pack });
    expect(echoed.body).toEqual(pack);
    expect(echoed.headers["set-cookie"]).toEqual(["a=1"]);
  });
});

describe("the edge in front of a plain server", () => {
  it("forwards to it as the fronts would, buffered for the API and streamed for git", async () => {
    const seen: string[] = [];
    const server = createServer((request: IncomingMessage, response: ServerResponse) => {
      seen.push(`${request.method} ${request.url} ${request.headers["x-coldforge-uri"]}`);
      response.writeHead(201, { "set-cookie": ["a=1", "b=2"], "x-answer": "yes" });
      request.pipe(response);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const edge = await startEdge({ api: origin, git: origin });
    try {
      for (const path of ["/api/v1/a%20b?q=1", "/a/b%2Fc"]) {
        const answer = await ask(edge.url, { path, method: "POST", body: Buffer.from([9, 200]) });
        expect(answer).toMatchObject({ status: 201, body: Buffer.from([9, 200]) });
        expect(answer.headers).toMatchObject({ "x-answer": "yes", "set-cookie": ["a=1", "b=2"] });
      }
      expect(seen).toEqual(["POST /api/v1/a%20b?q=1 /api/v1/a%20b", "POST /a/b/c /a/b%2Fc"]);
    } finally {
      await edge.stop();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });
});
