import type { Context } from "hono";
import type { Actor } from "#core/actor";
import type { SentAnswer } from "#core/capacity/intake";
import { countedBy, type Forge, withLogFields } from "#core/forge";
import { countInto, noUsage, type Usage } from "#core/meter";
import { commonHeaders, setOwnHeaders } from "./answer/answer-headers.ts";
import { clientAddressOf } from "./client-address.ts";
import { requestIdOf } from "./request-id.ts";

/** One request with the facts that are known before anybody looks at its operation or its caller. */
export interface Call {
  /** For this request alone: its log lines carry the request's id, and its cost is counted. */
  readonly forge: Forge;
  readonly request: Request;
  /** The address asked for. */
  readonly url: URL;
  readonly requestId: string;
  readonly address: string;
  /** The answer that its client is going to take, when that is counted. */
  readonly sent: SentAnswer | undefined;
  /** The caller that a link lets in; absent when credentials identify the caller. */
  readonly linked?: { readonly actor: Actor | undefined };
  /** What the request cost, when that is shown. */
  readonly usage: Usage | undefined;
}

/** How calls are opened. */
export interface CallOptions {
  readonly forge: Forge;
  /** The answer that a request's client takes, from the app's bindings, when that is counted, too. */
  answerIn?(bindings: unknown): SentAnswer | undefined;
  /** Adds the cost of each answer in `Server-Timing`: for the one-machine mode. */
  readonly showsCost?: boolean;
}

export function openCall(options: CallOptions, { env, req }: Context): Call {
  const { forge, showsCost } = options;
  const usage = showsCost === true ? noUsage() : undefined;
  const counted = usage === undefined ? forge : countedBy(forge, countInto(usage));
  const requestId = requestIdOf(env, req.raw.headers);
  return {
    forge: withLogFields(counted, { requestId }),
    request: req.raw,
    url: new URL(req.raw.url),
    requestId,
    address: clientAddressOf(env, req.raw.headers, forge.config),
    sent: options.answerIn?.(env),
    usage,
  };
}

/** The answer with the headers of every answer, and those of this one alone. */
export function closeCall({ forge, requestId, usage }: Call, response: Response): Response {
  commonHeaders(forge.config)(response.headers);
  setOwnHeaders(response, requestId, usage);
  return response;
}
