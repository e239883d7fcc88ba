import { type ErrorCode, ForgeError } from "#core/errors";

/** The words of the Connect protocol for refusals, with their statuses (semantics §60.1). */
const statuses = {
  invalid_argument: 400,
  unauthenticated: 401,
  permission_denied: 403,
  not_found: 404,
  unimplemented: 404,
  already_exists: 409,
  aborted: 409,
  resource_exhausted: 429,
  internal: 500,
  unavailable: 503,
} as const;
export type ConnectCode = keyof typeof statuses;

/** A refusal in the words of Connect. */
export class ConnectError extends Error {
  readonly code: ConnectCode;
  readonly retryAfterSeconds: number | undefined;
  constructor(
    code: ConnectCode,
    message: string,
    options: ErrorOptions & { retryAfterSeconds?: number } = {},
  ) {
    super(message, options);
    this.name = "ConnectError";
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

const codes: Partial<Record<ErrorCode, ConnectCode>> = {
  "bad-request": "invalid_argument",
  invalid: "invalid_argument",
  "too-large": "invalid_argument",
  unauthorized: "unauthenticated",
  forbidden: "permission_denied",
  gate: "permission_denied",
  "missing-rights": "permission_denied",
  "not-found": "not_found",
  conflict: "aborted",
  "rate-limited": "resource_exhausted",
};

/** A refusal of core in the words of Connect; undefined for what nobody foresaw. */
export function connectErrorOf(error: unknown): ConnectError | undefined {
  if (error instanceof ConnectError) return error;
  if (!(error instanceof ForgeError)) return undefined;
  const { message, retryAfterSeconds } = error;
  const code = codes[error.code] ?? "unavailable";
  return new ConnectError(code, message, retryAfterSeconds === undefined ? {} : { retryAfterSeconds });
}

/** A refusal as its client reads it: JSON, whatever the encoding of the call. */
export function connectErrorAnswer({ code, message, retryAfterSeconds }: ConnectError): Response {
  const headers = new Headers({ "content-type": "application/json" });
  const isTemporary = code === "resource_exhausted" || code === "unavailable";
  if (isTemporary) headers.set("retry-after", String(retryAfterSeconds ?? 2));
  return new Response(JSON.stringify({ code, message }), { status: statuses[code], headers });
}
