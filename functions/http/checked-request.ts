import type { Actor } from "#core/actor";
import type { Holding } from "#core/capacity/intake";
import type { Forge } from "#core/forge";
import { forgeOnceWith } from "#core/table/read-ahead";
import type { AnswerTime } from "./answer/answer-time.ts";
import { readPage } from "./answer/paging.ts";
import { RequestBody } from "./body/request-body.ts";
import { uploadOf } from "./body/upload.ts";
import type { Call } from "./call.ts";
import type { CallerAhead } from "./caller/authentication.ts";
import { requireNoForeignPage } from "./caller/foreign-page.ts";
import type { Endpoint } from "./endpoint.ts";
import { readInputs } from "./inputs.ts";
import { type Resolved, resolveNeeds } from "./needs/resolve-needs.ts";
import { openNeeds, requireMode, requireUnarchived } from "./needs/resolve-repository.ts";
import type { MatchedEndpoint } from "./routes.ts";

/** A call whose caller was let in. */
export interface Admitted extends Call {
  readonly found: MatchedEndpoint;
  readonly actor: Actor | undefined;
  readonly ahead: CallerAhead;
}

/** What a request works with: its caller's forge, the memory that it may hold, its time. */
interface Means {
  readonly forge: Forge;
  readonly holding: Holding;
  readonly time: AnswerTime;
}

type HandledRequest = Parameters<Endpoint["handle"]>[0];

/** The request as its handler gets it, once rights and inputs were checked, in this order (semantics §1.7). */
export async function checkRequest(admitted: Admitted, means: Means): Promise<HandledRequest> {
  const { request, url, found, actor, ahead, address } = admitted;
  const { endpoint, params } = found;
  const { forge, time } = means;
  const body = new RequestBody(request, { ...means, config: forge.config });
  const resolved = await resolveTarget(admitted);
  requireNoForeignPage(request, actor, forge.config);
  const page = readPage(url.searchParams, forge.config);
  const inputs = await readInputs(body, url, endpoint, forge.compute).catch((refusal: unknown) =>
    refuseInputs(refusal, endpoint, { forge, actor, ...resolved, params } as unknown as RightsRequest),
  );
  if (endpoint.isBodyFirst === true) requireRights(endpoint, resolved);
  const id = resolved.access?.repository.id;
  const keysAhead = id === undefined ? [] : (endpoint.readsAhead?.(id, params) ?? []);
  return {
    forge: forgeOnceWith(forge, ahead.read, keysAhead),
    actor,
    ...resolved,
    params,
    ...inputs,
    get upload() {
      return uploadOf(body, forge.compute);
    },
    page,
    url: new URL(`${forge.config.rootUrl}${url.pathname}${url.search}`),
    address,
    get signal() {
      return time.signal();
    },
  } as unknown as HandledRequest;
}

/** The things that the operation needs, with the caller's rights on them, unless the body is read before these. */
async function resolveTarget({ request, found, actor, ahead }: Admitted): Promise<Resolved> {
  const { endpoint, params } = found;
  const isRead = request.method === "GET" || request.method === "HEAD";
  const isBodyFirst = endpoint.isBodyFirst === true;
  const needs = isBodyFirst ? openNeeds(endpoint.needs) : endpoint.needs;
  const resolved = await resolveNeeds(ahead.forge, needs, { actor, params, isRead });
  if (!isBodyFirst) requireUnarchived(endpoint, resolved.access);
  return resolved;
}

function requireRights(endpoint: Endpoint, { access }: Resolved): void {
  if (access === undefined) return;
  requireMode(endpoint.needs, access);
  requireUnarchived(endpoint, access);
}

type RightsRequest = Parameters<NonNullable<Endpoint["thingRights"]>>[0];

/** Refusals of rights to the thing itself come before those of inputs (semantics §1.7). */
async function refuseInputs(refusal: unknown, endpoint: Endpoint, asked: RightsRequest): Promise<never> {
  await endpoint.thingRights?.(asked);
  throw refusal;
}
