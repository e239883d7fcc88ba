import { randomUUID } from "node:crypto";
import type { MiddlewareHandler } from "hono";

/**
 * The id of a request, for its log lines and its caller: the gateway's when the request came through one, else a new
 * one. A header of that name from a caller of one machine is ignored.
 */
export const requestIdOf = (environment: unknown, headers: Headers): string => {
  const { event } = (environment ?? {}) as { readonly event?: object };
  return (event === undefined ? null : headers.get("x-amzn-trace-id")) ?? randomUUID();
};

/** Gives the answers an id that got none on their way, because nothing is logged of them: documents, pictures. */
export const nameRequests: MiddlewareHandler = async (context, next) => {
  await next();
  const { headers } = context.res;
  if (!headers.has("x-request-id"))
    headers.set("x-request-id", requestIdOf(context.env, context.req.raw.headers));
};
