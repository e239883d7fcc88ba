import { defined } from "./defined.ts";
/**
 * The few ways in which a verb can refuse. Each carries a stable code; `functions/http/answer/problems.ts` has the table
 * of HTTP statuses, `functions/git` the wording for git.
 */
export type ErrorCode =
  | "bad-request"
  | "unauthorized"
  | "forbidden"
  | "gate"
  | "missing-rights"
  | "not-found"
  | "not-applicable"
  | "conflict"
  | "precondition-failed"
  | "too-large"
  | "too-slow"
  | "unsupported-media-type"
  | "invalid"
  | "archived"
  | "rate-limited"
  | "unavailable"
  | "storage-full";

/** A refusal that the caller is told about. `message` is for people and says what to do. */
export class ForgeError extends Error {
  readonly code: ErrorCode;
  /** When to try again, if that is known. */
  readonly retryAfterSeconds: number | undefined;
  /** What the answer says beside the message, by the member's name. */
  readonly details: Readonly<Record<string, unknown>>;
  constructor(
    code: ErrorCode,
    message: string,
    options?: ErrorOptions & { retryAfterSeconds?: number; details?: Readonly<Record<string, unknown>> },
  ) {
    super(message, options);
    this.name = "ForgeError";
    this.code = code;
    this.retryAfterSeconds = options?.retryAfterSeconds;
    this.details = options?.details ?? {};
  }
}

/** 400: the request can't be understood or contradicts itself. */
export const badRequest = (message: string) => new ForgeError("bad-request", message);
/** 401: no credentials, or credentials that don't hold. */
export const unauthorized = (message: string) => new ForgeError("unauthorized", message);
/** 403: the caller is known and may see the thing, but not do this. */
export const forbidden = (message: string) => new ForgeError("forbidden", message);
/** 403 before anything is looked at: the account, or the instance, accepts no such caller at the moment. */
export const gate = (message: string) => new ForgeError("gate", message);
/** 403 of a rights check on the thing itself: callers with the rights may do it. */
export const missingRights = (message: string) => new ForgeError("missing-rights", message);
/** 404: absent, or hidden from this caller (D-HIDDEN: worded alike). */
export const notFound = (message: string, details?: Readonly<Record<string, unknown>>) =>
  new ForgeError("not-found", message, defined({ details }));
/** 404 in the words of the family, which its clients compare: the missing thing is named among the errors. */
export const targetNotFound = (what: string) => notFound("The target couldn't be found.", { errors: [what] });
/** 405: the thing is of a kind that has no such part. */
export const notApplicable = (message: string) => new ForgeError("not-applicable", message);
/** 409: clashes with existing things, or lost a race that the caller may try again. */
export const conflict = (message: string) => new ForgeError("conflict", message);
/** 412: a stated or implied condition does not hold. */
export const preconditionFailed = (message: string) => new ForgeError("precondition-failed", message);
/** 413: over a size bound; the message names the bound. */
export const tooLarge = (message: string) => new ForgeError("too-large", message);
/** 422: well-formed but not valid. `field` is the CamelCase field name that the family's clients look for. */
export const invalid = (field: string, reason: string) => new ForgeError("invalid", `[${field}]: ${reason}`);
/** 422 without a single field to blame. */
export const unprocessable = (message: string, details?: Readonly<Record<string, unknown>>) =>
  new ForgeError("invalid", message, defined({ details }));
/** 423: the repository is archived. */
export const archived = (message: string) => new ForgeError("archived", message);
/** 429: too much of this from this caller, until some seconds have passed. */
export const rateLimited = (message: string, retryAfterSeconds: number) =>
  new ForgeError("rate-limited", message, { retryAfterSeconds });
/** 503: try again later; nothing was changed, or the message says otherwise. */
export const unavailable = (message: string, options?: ErrorOptions & { retryAfterSeconds?: number }) =>
  new ForgeError("unavailable", message, options);

/** 503: the disk under the data is full. The request was not written. */
export const storageFull = (cause: unknown) =>
  new ForgeError("storage-full", "no space left on the data folder's disk; free some, then try again", {
    cause,
  });

/** Whether an unknown thrown value is a refusal with the given code. */
export function isForgeError(error: unknown, code?: ErrorCode): error is ForgeError {
  return error instanceof ForgeError && (code === undefined || error.code === code);
}
