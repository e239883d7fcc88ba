import type { Context } from "hono";
import { callerOf } from "#core/caller/caller";
import { countRequest } from "#core/caller/rates";
import { type Intake, unboundedIntake } from "#core/capacity/intake";
import { badRequest } from "#core/errors";
import { asCaller } from "#core/forge";
import { OAuth2Refusal } from "#core/oauth2-grant/refusal";
import { withinTime } from "../http/answer/answer-time.ts";
import { problem, problemOf } from "../http/answer/problems.ts";
import { canDecode } from "../http/body/incoming-body.ts";
import { RequestBody } from "../http/body/request-body.ts";
import { type Call, type CallOptions, closeCall, openCall } from "../http/call.ts";
import { refusalAnswer } from "./answer.ts";
import { authorizeByForm } from "./authorize-page.ts";
import { showKeys, tellOfProvider } from "./discovery.ts";
import type { Operation } from "./operation.ts";
import { giveTokens } from "./token.ts";
import { endToken, tellOfToken, tellOfUser } from "./token-facts.ts";

interface OAuth2Options extends CallOptions {
  readonly intake?: Intake;
}

/** The paths that programs call. Pages for people are served by `functions/pages/app.ts`. */
const operations: ReadonlyMap<string, Operation> = new Map([
  ["/login/oauth/authorize", { methods: ["POST"], cost: "light", handle: authorizeByForm }],
  ["/login/oauth/access_token", { methods: ["POST"], cost: "heavy", handle: giveTokens }],
  ["/login/oauth/introspect", { methods: ["POST"], cost: "light", handle: tellOfToken }],
  ["/login/oauth/revoke", { methods: ["POST"], cost: "light", handle: endToken }],
  ["/login/oauth/userinfo", { methods: ["GET", "POST"], cost: "light", handle: tellOfUser }],
  ["/login/oauth/keys", { methods: ["GET"], cost: "light", handle: showKeys }],
  ["/.well-known/openid-configuration", { methods: ["GET"], cost: "light", handle: tellOfProvider }],
]);

/** Answers programs that let their users log in here (semantics §68.2). */
export async function answerOAuth2(options: OAuth2Options, context: Context): Promise<Response> {
  const call = openCall(options, context);
  try {
    const answer = await answerTo(options, call);
    return closeCall(call, call.request.method === "HEAD" ? new Response(null, answer) : answer);
  } catch (error) {
    return closeCall(call, refusalOf(call, error));
  }
}

async function answerTo({ intake = unboundedIntake() }: OAuth2Options, call: Call): Promise<Response> {
  const { forge, request, url, address, sent } = call;
  const operation = forge.config.oauth2Enabled ? operations.get(url.pathname) : undefined;
  if (operation === undefined) return problem(404, "there is no such path", forge.config.rootUrl);
  const method = request.method === "HEAD" ? "GET" : request.method;
  if (!operation.methods.includes(method)) {
    const refused = problem(405, `this path answers ${operation.methods.join(", ")}`, forge.config.rootUrl);
    refused.headers.set("allow", operation.methods.join(", "));
    return refused;
  }
  if (!canDecode(request)) throw badRequest("bodies are plain, or compressed by gzip");
  countRequest(forge, { address }, operation.cost);
  return withinTime(call, async (time) => {
    const holding = intake.open(callerOf(undefined, address), { answer: sent, signal: () => time.signal() });
    try {
      const body = new RequestBody(request, { holding, config: forge.config, time });
      const asking = asCaller(forge, holding, time);
      return await operation.handle({ forge: asking, request, url, body, address });
    } finally {
      await holding.release();
    }
  });
}

function refusalOf({ forge, requestId }: Call, error: unknown): Response {
  if (error instanceof OAuth2Refusal) return refusalAnswer(error);
  const { rootUrl } = forge.config;
  return problemOf(error, { rootUrl, requestId, log: forge.log, form: undefined });
}
