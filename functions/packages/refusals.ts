import { isForgeError } from "#core/errors";
import { problem, problemOf } from "../http/answer/problems.ts";
import { nothingThere } from "../http/answer/refusal.ts";
import type { Call } from "../http/call.ts";
import { Moved } from "../http/needs/moved.ts";
import type { Refuse } from "../http/pipeline.ts";

const challenge = 'Basic realm="Coldforge", charset="UTF-8"';

/** Refusals as the clients of registries read them: `{"error": …}` for npm, else a plain text (semantics §57, §58). */
export const registryRefusals: Refuse = {
  nothingThere: (call, found) => inForm(call, nothingThere(found, "")),
  refusal(call, error) {
    if (error instanceof Moved) return undefined;
    const { forge, requestId, request } = call;
    const context = { rootUrl: "", requestId, log: forge.log, form: undefined };
    // An instance may let in only signed-in callers: a client shows its credentials once it is asked for them.
    const mayLogIn = isForgeError(error, "gate") && request.headers.get("authorization") === null;
    return inForm(call, mayLogIn ? problem(401, error.message, "") : problemOf(error, context));
  },
};

async function messageOf(response: Response): Promise<string> {
  const text = await response.text();
  return text === "" ? "" : String((JSON.parse(text) as { message?: unknown }).message ?? "");
}

const isOfNpm = ({ pathname }: URL): boolean => /^\/api\/packages\/[^/]+\/npm(?:\/|$)/i.test(pathname);

async function inForm({ url }: Call, response: Response): Promise<Response> {
  const headers = new Headers(response.headers);
  const { status } = response;
  if (status === 401) headers.set("www-authenticate", challenge);
  headers.set("content-type", isOfNpm(url) ? "application/json" : "text/plain; charset=utf-8");
  const message = await messageOf(response);
  return new Response(isOfNpm(url) ? JSON.stringify({ error: message }) : `${message}\n`, {
    status,
    headers,
  });
}
