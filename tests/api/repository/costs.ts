import type { ApiAnswer } from "#tests/support/api";

/** How many requests to the table an answer took, as its `Server-Timing` says. */
export function tableRequests({ headers }: ApiAnswer): number {
  const [, requests] = /table;desc="(\d+) requests/.exec(headers.get("server-timing") ?? "") ?? [];
  if (requests === undefined) throw new Error("the answer does not say what it cost");
  return Number(requests);
}
