import { type ErrorCode, ForgeError } from "#core/errors";
import { statusOf } from "../http/answer/problems.ts";
import { ClientLeft } from "../http/body/incoming-body.ts";
import type { Call } from "../http/call.ts";

/** How a part of the protocol words a refusal. */
export type RefusalForm = "twirp" | "text";

/** An answer in JSON; it names addresses that need no credentials, so nobody keeps it. */
export const jsonAnswer = (status: number, body: unknown): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json", "cache-control": "no-store" },
  });

const twirpCodes: Partial<Record<number, string>> = {
  401: "unauthenticated",
  403: "permission_denied",
  404: "not_found",
  408: "deadline_exceeded",
  409: "aborted",
  429: "resource_exhausted",
  500: "internal",
  503: "unavailable",
};

/**
 * Twirp's own form for its methods: their clients read `msg` of it, and repeat whatever is no JSON as though the server
 * had failed. A text elsewhere.
 */
function problem(form: RefusalForm, status: number, message: string, retryAfter = 2): Response {
  const headers: Record<string, string> = { "cache-control": "no-store" };
  if (status === 429 || status === 503) headers["retry-after"] = String(retryAfter);
  if (status === 408) headers.connection = "close";
  const isTwirp = form === "twirp";
  headers["content-type"] = isTwirp ? "application/json" : "text/plain; charset=utf-8";
  const body = isTwirp
    ? JSON.stringify({ code: twirpCodes[status] ?? "invalid_argument", msg: message })
    : `${message}\n`;
  return new Response(body, { status, headers });
}

/** Clients of uploads send again after 503 alone, which is what the stores that they are made for answer then. */
const statusFor = (form: RefusalForm, code: ErrorCode): number =>
  form === "text" && code === "rate-limited" ? 503 : statusOf[code];

/** Turns what a request threw into its answer. */
export function artifactRefusal({ forge, requestId }: Call, form: RefusalForm, error: unknown): Response {
  if (error instanceof ForgeError) {
    return problem(form, statusFor(form, error.code), error.message, error.retryAfterSeconds);
  }
  if (error instanceof ClientLeft) {
    forge.log.info("artifacts:client-left");
    return new Response(null, { status: 400 }); // nobody reads it
  }
  forge.log.error("artifacts:unexpected-error", { error });
  return problem(form, 500, `something went wrong on our side; the log knows it as request ${requestId}`);
}
