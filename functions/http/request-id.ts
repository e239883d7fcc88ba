import { randomUUID } from "node:crypto";

/**
 * The id of a request, for its log lines and its caller: the gateway's when the request came through one, else a new
 * one. A header of that name from a caller of one machine is ignored.
 */
export const requestIdOf = (environment: unknown, headers: Headers): string => {
  const { event } = (environment ?? {}) as { readonly event?: object };
  return (event === undefined ? null : headers.get("x-amzn-trace-id")) ?? randomUUID();
};
