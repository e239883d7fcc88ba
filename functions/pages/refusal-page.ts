import { html } from "hono/html";
import { ForgeError } from "#core/errors";
import { statusOf } from "../http/answer/problems.ts";
import { ClientLeft } from "../http/body/incoming-body.ts";
import type { Call } from "../http/call.ts";
import { pageAnswer, problemText } from "./frame.ts";

const defaultRetrySeconds = 2;

/** The page that says why a request was refused; an unforeseen error is logged here, once. */
export async function refusalPage({ forge, requestId }: Call, error: unknown): Promise<Response> {
  if (error instanceof ForgeError) {
    const status = statusOf[error.code];
    const response = await messagePage(status, error.message);
    const isLater = status === 429 || status === 503;
    if (isLater) response.headers.set("retry-after", String(error.retryAfterSeconds ?? defaultRetrySeconds));
    if (error.cause !== undefined) forge.log.warn("pages:refused", { code: error.code, error });
    return response;
  }
  if (error instanceof ClientLeft) return new Response(null, { status: 400 }); // nobody reads it
  forge.log.error("pages:unexpected-error", { error });
  return messagePage(500, `Something went wrong on our side; the log knows it as request ${requestId}.`);
}

/** A page that says one thing. */
export const messagePage = (
  status: number,
  message: string,
  title = "That did not work",
): Promise<Response> => pageAnswer({ title, status, body: html`${problemText(message)}` });
