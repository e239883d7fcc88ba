import { randomUUID } from "node:crypto";

/**
 * The id of a request, which its log lines carry and its caller is told: the gateway's where the request came through
 * one, else a new one. What a caller of one machine sends under that name is theirs alone.
 */
export const requestIdOf = (environment: unknown, headers: Headers): string => {
  const { event } = (environment ?? {}) as { readonly event?: object };
  return (event === undefined ? null : headers.get("x-amzn-trace-id")) ?? randomUUID();
};
