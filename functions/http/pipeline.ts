import { callerOf } from "#core/caller/caller";
import { type Intake, unboundedIntake } from "#core/capacity/intake";
import { asCaller, type Forge } from "#core/forge";
import { mostBodyBytes } from "#core/text";
import { answerOf, notModified } from "./answer/answer.ts";
import { type AnswerTime, withinTime, withoutBound } from "./answer/answer-time.ts";
import { elsewhereIfLarge } from "./answer/linked-answer.ts";
import type { Page } from "./answer/paging.ts";
import { nothingThere, refusalOf } from "./answer/refusal.ts";
import type { Call } from "./call.ts";
import { admit } from "./caller/admission.ts";
import { hasQueryToken, queryTokenWarning } from "./caller/authentication.ts";
import { identify } from "./caller/identify.ts";
import { type Admitted, checkRequest } from "./checked-request.ts";
import type { Endpoint } from "./endpoint.ts";
import { type LoadedRoutes, matchUnder } from "./loaded-routes.ts";
import type { Match, MatchedEndpoint, Routes } from "./routes.ts";

/** Called for every answer of an operation: so the contract test sees all traffic of all tests. */
export type Observer = (endpoint: Endpoint, response: Response) => Promise<void> | void;

/** What answers calls, and within which bounds. */
export interface Service {
  readonly routes: Routes | LoadedRoutes;
  /** The prefix of the operations' paths. */
  readonly basePath: string;
  /** Bounds how much callers make this process hold; absent: nothing does, as when one request is served at a time. */
  readonly intake?: Intake;
  /** Larger answers to reads become a 302 to where they are streamed (D-BIGBODY); absent: no bound. */
  readonly mostAnswerBytes?: number;
  readonly observe?: Observer;
  /** The refusals of this service where their form is not the API's; none: the API's. */
  readonly refuse?: Refuse;
}

/** Makes the answer to a request that leads to no operation, or whose operation threw. */
export interface Refuse {
  nothingThere(call: Call, found: Exclude<Match, MatchedEndpoint>): Promise<Response>;
  /** Undefined: in the API's form. */
  refusal(call: Call, error: unknown): Promise<Response> | undefined;
}

/** Answers one call: finds its operation, carries it out, and turns a refusal into its answer. */
export async function answerCall(service: Service, call: Call): Promise<Response> {
  const { request, url, forge } = call;
  const found = await matchUnder(service.basePath, service.routes, request.method, url.pathname);
  const response =
    found.kind === "endpoint"
      ? await carryOut(service, call, found).catch(
          async (error: unknown) =>
            (await service.refuse?.refusal(call, error)) ?? refusalOf(error, call, found, service.basePath),
        )
      : ((await service.refuse?.nothingThere(call, found)) ?? nothingThere(found, forge.config.rootUrl));
  if (hasQueryToken(url)) response.headers.set("warning", queryTokenWarning);
  if (found.kind === "endpoint") await service.observe?.(found.endpoint, response.clone());
  return request.method === "HEAD" ? new Response(null, response) : response;
}

/** The steps before and after the operation's own work; each may throw its refusal (semantics §1.7). */
async function carryOut(service: Service, call: Call, found: MatchedEndpoint): Promise<Response> {
  const { needs } = found.endpoint;
  const gates = {
    isPasswordChange: needs.ownPassword === "to-change-it",
    isByAddress: needs.address === true,
  };
  const isBounded = found.endpoint.takesFile === undefined;
  const { sudo, ahead, noteUse, ...identified } = await identify(call, found);
  try {
    const actor = await admit(ahead.forge, { actor: identified.actor, sudo, ...gates });
    const bound = isBounded ? withinTime : withoutBound;
    const admitted: Admitted = { ...call, found, actor, ahead };
    const response = await bound(call, (time) => perform(service, admitted, time));
    const { mostAnswerBytes } = service;
    return mostAnswerBytes === undefined
      ? response
      : await elsewhereIfLarge(call, response, actor, mostAnswerBytes);
  } finally {
    await noteUse();
  }
}

/**
 * The operation's own work: rights, inputs, the handler, its answer. The memory that it holds is given back when it is
 * over, even when its answer was given up before.
 */
async function perform({ intake = unboundedIntake() }: Service, admitted: Admitted, time: AnswerTime) {
  const { request, found, actor, address, sent } = admitted;
  const holding = intake.open(callerOf(actor, address), { answer: sent, signal: () => time.signal() });
  try {
    const forge = asCaller(admitted.forge, holding, time);
    const asked = await checkRequest(admitted, { forge, holding, time });
    await reserveTexts(forge, found.endpoint, asked.page);
    time.throwIfAborted();
    const result = await found.endpoint.handle(asked);
    const context = { request, forge, page: asked.page, url: asked.url };
    return notModified(request, await answerOf(found.endpoint, result, context));
  } finally {
    await holding.release();
  }
}

/** A text is in memory as it was read, as a value, in JSON, and in the sent bytes. */
const textFactor = 3;

/** Before a page of long texts is read: how long these are shows too late. */
async function reserveTexts(asking: Forge, { returns }: Endpoint, page: Page): Promise<void> {
  const hasTexts = returns !== undefined && "list" in returns && returns.hasTexts === true;
  if (hasTexts) await asking.reserve(page.limit * mostBodyBytes * textFactor);
}
