import { createHash, timingSafeEqual } from "node:crypto";
import { Hono } from "hono";
import type { Config } from "#core/config";
import { edgeHeaders } from "./edge-headers.ts";

const digest = (text: string) => createHash("sha256").update(text).digest();

/**
 * Puts the edge's rules in front of an app: with `ORIGIN_SECRET` set, a request that did not come through the edge is
 * refused, and one that did gets the path back that the gateway decoded (D-RAWPATH). Without it headers of these names
 * mean nothing and are dropped.
 */
export function behindOrigin(app: Hono, config: Config): Hono {
  const expected = config.originSecret === "" ? undefined : digest(config.originSecret);
  const front = new Hono();
  front.all("*", (context) => {
    const request = context.req.raw;
    const isFromEdge =
      expected !== undefined &&
      timingSafeEqual(digest(request.headers.get(edgeHeaders.originSecret) ?? ""), expected);
    if (expected !== undefined && !isFromEdge) {
      return context.json({ message: "this address is not open; use the service's own", url: "" }, 403);
    }
    const { event } = context.env as { event?: { rawQueryString?: string } };
    const query = event?.rawQueryString ?? new URL(request.url).search.slice(1);
    const client = request.headers.get(edgeHeaders.client);
    const { env } = context as { env: object | undefined };
    const environment = isFromEdge && client !== null ? { ...env, clientAddress: client } : env;
    return app.fetch(withOriginalUri(request, isFromEdge, query), environment);
  });
  return front;
}

/**
 * The header holds only the path. The query comes from the event: in a URL made of a decoded path it may have ended
 * behind a decoded `#` or `?`.
 */
function withOriginalUri(request: Request, isFromEdge: boolean, query: string): Request {
  const path = request.headers.get(edgeHeaders.uri);
  const { origin } = new URL(request.url);
  const search = query === "" ? "" : `?${query}`;
  const url = isFromEdge && path?.startsWith("/") ? origin + path + search : request.url;
  const headers = new Headers(request.headers);
  for (const name of Object.values(edgeHeaders)) headers.delete(name);
  return new Request(url, {
    method: request.method,
    headers,
    body: request.body,
    signal: request.signal,
    ...(request.body === null ? {} : { duplex: "half" }),
  });
}
