import { request as httpRequest, type IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import type { StreamingHandler } from "./function-url.ts";
import type { BufferedHandler } from "./gateway.ts";

/** Sends an event to a plain HTTP server, as a server behind the fronts would get it. */
function forward(origin: string, event: APIGatewayProxyEventV2): Promise<IncomingMessage> {
  const { http } = event.requestContext;
  const query = event.rawQueryString === "" ? "" : `?${event.rawQueryString}`;
  const cookie = event.cookies === undefined ? {} : { cookie: event.cookies.join("; ") };
  const url = new URL(origin);
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      {
        host: url.hostname,
        port: url.port,
        method: http.method,
        path: encodeURI(event.rawPath).replaceAll("#", "%23") + query,
        headers: { ...event.headers, ...cookie },
      },
      resolve,
    );
    sent.on("error", reject);
    sent.end(Buffer.from(event.body ?? "", event.isBase64Encoded ? "base64" : "utf8"));
  });
}

function flatHeaders(answer: IncomingMessage): Record<string, string> {
  const { "set-cookie": _, ...headers } = answer.headers;
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

/** Stands for an API handler: the server at `origin` answers. */
export function bufferedForwarder(origin: string): BufferedHandler {
  return async (event) => {
    const answer = await forward(origin, event);
    return {
      statusCode: answer.statusCode,
      headers: flatHeaders(answer),
      cookies: answer.headers["set-cookie"] ?? [],
      body: (await buffer(answer)).toString("base64"),
      isBase64Encoded: true,
    };
  };
}

/** Stands for a streaming handler: the server at `origin` answers, piece by piece. */
export function streamingForwarder(origin: string): StreamingHandler {
  return async (event, stream) => {
    const answer = await forward(origin, event);
    stream.metadata = {
      statusCode: answer.statusCode ?? 502,
      headers: flatHeaders(answer),
      cookies: answer.headers["set-cookie"] ?? [],
    };
    stream.write("");
    await pipeline(answer, stream);
  };
}
