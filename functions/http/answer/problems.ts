import { type ErrorCode, ForgeError } from "#core/errors";
import type { Log } from "#core/log";
import { ClientLeft } from "../body/incoming-body.ts";

/** The one table from refusals to HTTP numbers. */
export const statusOf: Readonly<Record<ErrorCode, number>> = {
  "bad-request": 400,
  unauthorized: 401,
  forbidden: 403,
  gate: 403,
  "missing-rights": 403,
  "not-found": 404,
  "not-applicable": 405,
  conflict: 409,
  "precondition-failed": 412,
  "too-slow": 408,
  "too-large": 413,
  "unsupported-media-type": 415,
  invalid: 422,
  archived: 423,
  "rate-limited": 429,
  unavailable: 503,
  "storage-full": 503,
};

const retryAfterSeconds = 2;

/** `bare`: no body when the rights are missing. `search`: faults are also reported as `{ok: false, error}`. */
export type RefusalForm = "bare" | "search";

interface ProblemDetails {
  readonly retryAfter?: number | undefined;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** A refusal's body: `{message, url}`, and `errors` when the family sends it (semantics §1.4). */
export function problem(
  status: number,
  message: string,
  rootUrl: string,
  { retryAfter = retryAfterSeconds, details = {} }: ProblemDetails = {},
): Response {
  const errors = status === 404 ? { errors: [] } : {};
  return json(status, { message, url: `${rootUrl}/api/swagger`, ...errors, ...details }, retryAfter);
}

function json(status: number, body: object, retryAfter = retryAfterSeconds): Response {
  const headers = new Headers({ "content-type": "application/json;charset=utf-8" });
  if (status === 429 || status === 503) headers.set("retry-after", String(retryAfter));
  if (status === 408) headers.set("connection", "close");
  return new Response(JSON.stringify(body), { status, headers });
}

/**
 * Turns any error of a request into its answer. An unforeseen one is logged here, once, with the request's id. `form`:
 * the operation's (semantics §1.4).
 */
export function problemOf(
  error: unknown,
  context: { rootUrl: string; requestId: string; log: Log; form: RefusalForm | undefined },
): Response {
  if (error instanceof ForgeError) {
    if (error.cause !== undefined) context.log.warn("api:refused", { code: error.code, error });
    if (error.code === "missing-rights" && context.form === "bare")
      return new Response(null, { status: 403 });
    if (error.code === "invalid" && context.form === "search") {
      const details = { ok: false, error: error.message };
      return problem(422, error.message, context.rootUrl, { details });
    }
    if (error.code === "gate") return json(403, { message: error.message });
    const { details, retryAfterSeconds: retryAfter } = error;
    return problem(statusOf[error.code], error.message, context.rootUrl, { details, retryAfter });
  }
  if (error instanceof ClientLeft) {
    context.log.info("api:client-left");
    return new Response(null, { status: 400 }); // nobody reads it
  }
  context.log.error("api:unexpected-error", { error });
  return problem(
    500,
    `something went wrong on our side; the log knows it as request ${context.requestId}`,
    context.rootUrl,
  );
}
