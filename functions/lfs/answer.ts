import { ForgeError } from "#core/errors";
import { statusOf } from "../http/answer/problems.ts";
import { ClientLeft } from "../http/body/incoming-body.ts";
import type { Call } from "../http/call.ts";

/** The media type of Git LFS, in and out. */
export const lfsType = "application/vnd.git-lfs+json";

const challenge = 'Basic realm="Coldforge", charset="UTF-8"';

/** An answer in JSON. What a batch hands out is for its caller alone: nobody keeps it. */
export const lfsAnswer = (status: number, body: object, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": lfsType, "cache-control": "no-store", ...headers },
  });

/** A refusal in the protocol's form; its client shows the message to its user. */
export function lfsProblem({ requestId }: Call, status: number, message: string, retryAfter = 2): Response {
  const headers: Record<string, string> = {};
  if (status === 429 || status === 503) headers["retry-after"] = String(retryAfter);
  if (status === 408) headers.connection = "close";
  if (status === 401) {
    headers["www-authenticate"] = challenge;
    headers["lfs-authenticate"] = challenge;
  }
  return lfsAnswer(status, { message, request_id: requestId }, headers);
}

/**
 * Turns what a request threw into its answer. Without credentials even "not found" asks for some, because a private
 * repository looks the same (D-CHALLENGE, semantics §55.2).
 */
export function lfsRefusal(call: Call, error: unknown): Response {
  const { forge, request } = call;
  if (error instanceof ForgeError) {
    const status = statusOf[error.code];
    const isHidden = status === 404 && request.headers.get("authorization") === null;
    if (isHidden) return lfsProblem(call, 401, "log in to see whether this is there");
    return lfsProblem(call, status, error.message, error.retryAfterSeconds);
  }
  if (error instanceof ClientLeft) {
    forge.log.info("lfs:client-left");
    return new Response(null, { status: 400 }); // nobody reads it
  }
  forge.log.error("lfs:unexpected-error", { error });
  return lfsProblem(
    call,
    500,
    `something went wrong on our side; the log knows it as request ${call.requestId}`,
  );
}
