import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { refusal, towardsOrigin, towardsViewer } from "./cloudfront.ts";
import { bufferedForwarder, streamingForwarder } from "./forward.ts";
import { callFunctionUrl, type StreamingHandler } from "./function-url.ts";
import { type BufferedHandler, callGateway } from "./gateway.ts";
import { awsManners, type Manners } from "./manners.ts";
import { type EdgeAnswer, frontAnswer } from "./messages.ts";
import { installLambdaStreaming } from "./response-stream.ts";

/** A Lambda handler as its module exports it, or the URL of a server that stands for it. */
export type Origin = ((...args: never[]) => unknown) | string;

export interface EdgeOptions extends Partial<Manners> {
  /** What answers the paths of `isForApi`: hono's `handle(app)`. */
  api: Origin;
  /** What answers everything else, the registries below `/api/packages` too: hono's `streamHandle(app)`. */
  git: Origin;
  /** What the functions know as ORIGIN_SECRET. */
  originSecret?: string;
}

export interface Edge {
  /** Without a slash at its end. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Whether the router sends a path to the API's gateway; SST matches whole segments, in the case given. */
function isForApi(path: string): boolean {
  return (
    !/^\/api\/packages(\/|$)/.test(path) &&
    /^\/(api|avatars|user|login\/oauth|swagger\.v1\.json|\.well-known\/(nodeinfo|openid-configuration))(\/|$)/.test(
      path,
    )
  );
}

/** Answers in the origin's name when it lets too much time pass before its first byte. */
async function firstByte(answer: Promise<EdgeAnswer>, idleTimeoutMs: number): Promise<EdgeAnswer> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<EdgeAnswer>((resolve) => {
    timer = setTimeout(() => resolve(frontAnswer(504, "The origin did not answer in time")), idleTimeoutMs);
  });
  try {
    return await Promise.race([answer, silence]);
  } finally {
    clearTimeout(timer);
  }
}

function hasNoBody(status: number): boolean {
  return status === 204 || status === 304;
}

/** Sends an answer to the viewer; a body that pauses too long, or breaks, ends the connection. */
function send(answer: EdgeAnswer, response: ServerResponse, idleTimeoutMs: number): void {
  const flat = answer.headers.flat();
  const own = ["x-cache", "Miss from cloudfront", "via", "1.1 edge.cloudfront.net (CloudFront)"];
  const { body } = answer;
  if (Buffer.isBuffer(body)) {
    const length = hasNoBody(answer.status) ? [] : ["content-length", String(body.length)];
    response.writeHead(answer.status, [...flat, ...own, ...length]);
    response.end(hasNoBody(answer.status) ? undefined : body);
    return;
  }
  response.writeHead(answer.status, [...flat, ...own]);
  response.flushHeaders();
  const timer = setTimeout(() => {
    if (response.writableNeedDrain) timer.refresh();
    else body.destroy(new Error("the origin paused too long"));
  }, idleTimeoutMs);
  body.on("data", () => timer.refresh());
  body.on("error", () => response.destroy());
  body.on("close", () => clearTimeout(timer));
  response.on("close", () => body.destroy());
  body.pipe(response);
}

/**
 * Starts a front with the manners of CloudFront, HTTP API and a function URL (docs/deployment.md), which calls the real
 * Lambda handlers in this process. It runs the viewer-request and origin-response code that is deployed.
 */
export async function startEdge({ api, git, originSecret = "", ...changed }: EdgeOptions): Promise<Edge> {
  installLambdaStreaming();
  const manners: Manners = { ...awsManners, ...changed };
  const callApi = (typeof api === "string" ? bufferedForwarder(api) : api) as BufferedHandler;
  const callGit = (typeof git === "string" ? streamingForwarder(git) : git) as StreamingHandler;

  async function answer(request: IncomingMessage, idleTimeoutMs: number): Promise<EdgeAnswer> {
    const body = await buffer(request);
    const refused = refusal(request, body);
    if (refused !== undefined) return refused;
    const sent = towardsOrigin(request, body, originSecret);
    if ("status" in sent) return sent;
    const called = isForApi(sent.path)
      ? callGateway(callApi, sent, manners)
      : callFunctionUrl(callGit, sent, manners);
    return towardsViewer(await firstByte(called, idleTimeoutMs), manners.restoresChallenge);
  }

  // Only the client closes an idle connection: closing it here would race with its next request.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const isApi = isForApi((request.url ?? "/").split("?")[0] ?? "/");
    const idleTimeoutMs = isApi ? manners.apiIdleTimeoutMs : manners.gitIdleTimeoutMs;
    answer(request, idleTimeoutMs).then(
      (given) => send(given, response, idleTimeoutMs),
      (error: Error) => response.destroy(error),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()));
        server.closeAllConnections();
      }),
  };
}
