import { createHash } from "node:crypto";
import { type Endpoint, Reply } from "./endpoint.ts";
import { type Listing, type Page, pagingHeaders } from "./paging.ts";

/** Turns what a handler answered into a response: status, JSON or HTML, paging headers, ETag. */
export function answerOf(endpoint: Endpoint, result: unknown, page: Page, url: URL): Response {
  const reply = result instanceof Reply ? result : new Reply(result);
  const status = reply.status ?? endpoint.status;
  const headers = new Headers(reply.headers);
  if (endpoint.isSecret === true) headers.set("cache-control", "no-store");
  if (endpoint.returns === undefined || reply.value === undefined)
    return new Response(null, { status, headers });
  if ("html" in endpoint.returns) return htmlAnswer(String(reply.value), status, headers);
  if (!("list" in endpoint.returns)) return jsonAnswer(reply.value, status, headers);
  const listing = reply.value as Listing<unknown>;
  for (const [name, value] of pagingHeaders(listing, page, url)) {
    if (name !== "link" || endpoint.returns.paging === "linked") headers.set(name, value);
  }
  return jsonAnswer(listing.items, status, headers);
}

/** A value as JSON, with the ETag that follows from it. */
export function jsonAnswer(value: unknown, status: number, headers: Headers): Response {
  const text = JSON.stringify(value);
  headers.set("content-type", "application/json;charset=utf-8");
  headers.set("etag", `"${createHash("sha256").update(text).digest("base64url").slice(0, 27)}"`);
  return new Response(text, { status, headers });
}

function htmlAnswer(html: string, status: number, headers: Headers): Response {
  headers.set("content-type", "text/html;charset=utf-8");
  return new Response(html, { status, headers });
}

/** 304 for a read whose `If-None-Match` names the answer's ETag. */
export function notModified(request: Request, response: Response): Response {
  const asked = request.headers.get("if-none-match");
  const etag = response.headers.get("etag");
  const isRead = request.method === "GET" || request.method === "HEAD";
  if (!isRead || asked === null || etag === null || response.status !== 200) return response;
  const known = asked.split(",").map((one) => one.trim().replace(/^W\//, ""));
  if (!known.includes(etag) && asked.trim() !== "*") return response;
  const headers = new Headers(response.headers);
  headers.delete("content-type");
  return new Response(null, { status: 304, headers });
}
