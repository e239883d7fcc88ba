import type { Context, Hono } from "hono";
import type { Actor } from "#core/actor";
import { callerOf } from "#core/caller";
import { asCaller, countedBy, type Forge, withLogFields } from "#core/forge";
import { type Intake, type SentAnswer, unboundedIntake } from "#core/intake";
import { countInto, noUsage } from "#core/meter";
import { type Counted, countRequest } from "#core/rates";
import { forgeOnceWith, nothingAhead } from "#core/table/read-ahead";
import { mostBodyBytes } from "#core/text";
import { answerOf, notModified } from "./answer/answer.ts";
import { commonHeaders, setOwnHeaders } from "./answer/answer-headers.ts";
import { type AnswerTime, untimed, withinTime } from "./answer/answer-time.ts";
import { type FileAnswer, fileAnswer } from "./answer/file-answer.ts";
import { answersPath, linkToAnswer, openLink } from "./answer/linked-answer.ts";
import { type Page, readPage } from "./answer/paging.ts";
import { problem, problemOf, type RefusalForm } from "./answer/problems.ts";
import { RequestBody } from "./body/request-body.ts";
import { uploadOf } from "./body/upload.ts";
import { admit, sudoOf } from "./caller/admission.ts";
import { type CallerAhead, credentialsOf, noteCaller, queryTokenWarning } from "./caller/authentication.ts";
import { costOf, countedAs, countedCaller } from "./caller/counted-caller.ts";
import { requireNoForeignPage } from "./caller/foreign-page.ts";
import { Moved, openNeeds, requireRights, resolveNeeds } from "./caller/needs.ts";
import { clientAddressOf } from "./client-address.ts";
import { type Endpoint, Reply } from "./endpoint.ts";
import { readInputs } from "./inputs.ts";
import { requestIdOf } from "./request-id.ts";
import { createRoutes, type Match } from "./routes.ts";

/** Called for every answer of an operation: so the contract test sees all traffic of all tests. */
export type Observer = (endpoint: Endpoint, response: Response) => Promise<void> | void;

/** Operations to serve, and how. */
export interface OperationsOptions {
  readonly forge: Forge;
  /** Bounds how much callers make this process hold; absent: nothing does, as when one request is served at a time. */
  readonly intake?: Intake;
  /** The answer that a request's client takes, from the app's bindings, when that is counted, too. */
  answerIn?(bindings: unknown): SentAnswer | undefined;
  readonly endpoints: readonly Endpoint[];
  /** The prefix of the operations' paths. */
  readonly basePath: string;
  /** Adds the cost of each answer in `Server-Timing`: for the one-machine mode. */
  readonly showsCost?: boolean;
  /** Larger answers to reads become a 302 to where they are streamed (D-BIGBODY); absent: no bound. */
  readonly mostAnswerBytes?: number;
  readonly observe?: Observer;
}

type Routes = ReturnType<typeof createRoutes>;

/** Serves every path of an app that nothing else in it took. */
export function serveOperations(app: Hono, options: OperationsOptions): void {
  const routes = createRoutes(options.endpoints);
  app.all("*", (context) => serve(options, context, (asked, incoming) => answer(asked, routes, incoming)));
}

/** Serves the target of `linkToAnswer`: the same operations, with the link instead of credentials. */
export function serveLinkedAnswers(app: Hono, options: OperationsOptions): void {
  const routes = createRoutes(options.endpoints);
  app.get(`${answersPath}:link`, (context) =>
    serve(options, context, async (asked, incoming) => {
      const { forge } = asked;
      const linked = await openLink(forge, context.req.param("link"));
      if (linked === undefined) {
        return problem(404, "this link is over: ask for the file again", forge.config.rootUrl);
      }
      const url = new URL(linked.path, incoming.request.url);
      return answer(asked, routes, { ...incoming, url, linkedActor: linked });
    }),
  );
}

/** One request, with its id, its cost, and the headers of every answer. `work` gets a forge of its own. */
async function serve(
  options: OperationsOptions,
  context: Context,
  work: (asked: OperationsOptions, incoming: Incoming) => Promise<Response>,
): Promise<Response> {
  const { forge, showsCost } = options;
  const usage = showsCost === true ? noUsage() : undefined;
  const counted = usage === undefined ? forge : countedBy(forge, countInto(usage));
  const request = context.req.raw;
  const requestId = requestIdOf(context.env, request.headers);
  const address = clientAddressOf(context.env, request.headers, forge.config);
  const url = new URL(request.url);
  const asked = { ...options, forge: withLogFields(counted, { requestId }) };
  const sent = options.answerIn?.(context.env);
  const response = await work(asked, { request, url, requestId, address, sent });
  commonHeaders(forge.config)(response.headers);
  setOwnHeaders(response, requestId, usage);
  return response;
}

/** A request with the facts known about it. */
interface Incoming {
  readonly request: Request;
  /** The address asked for. */
  readonly url: URL;
  readonly requestId: string;
  readonly address: string;
  /** The answer that its client is going to take, when that is counted. */
  readonly sent: SentAnswer | undefined;
  /** The caller that a link lets in; absent when credentials identify the caller. */
  readonly linkedActor?: { readonly actor: Actor | undefined };
}

async function answer(options: OperationsOptions, routes: Routes, incoming: Incoming): Promise<Response> {
  const { forge, basePath } = options;
  const { request, url, requestId } = incoming;
  const { rootUrl } = forge.config;
  const found = matchUnder(basePath, routes, request.method, url.pathname);
  const warning = url.searchParams.get("token") || url.searchParams.get("access_token");
  const form = found.kind === "endpoint" ? refusalForm(found.endpoint) : undefined;
  const response = await respond(options, incoming, found).catch((error: unknown) =>
    error instanceof Moved && found.kind === "endpoint"
      ? redirect(found, error, `${rootUrl}${basePath}`, url)
      : problemOf(error, { rootUrl, requestId, log: forge.log, form }),
  );
  if (warning) response.headers.set("warning", queryTokenWarning);
  if (found.kind === "endpoint") await options.observe?.(found.endpoint, response.clone());
  return request.method === "HEAD" ? new Response(null, response) : response;
}

function refusalForm({ returns, hasBareRefusal }: Endpoint): RefusalForm | undefined {
  if (returns !== undefined && "search" in returns) return "search";
  return hasBareRefusal === true ? "bare" : undefined;
}

type MatchedEndpoint = Extract<Match, { kind: "endpoint" }>;

/** 307 to the same operation under the target's present name (semantics §1.3). */
function redirect(
  { endpoint, params }: MatchedEndpoint,
  moved: Moved,
  base: string,
  { search }: URL,
): Response {
  const values: Readonly<Record<string, string | number>> = { ...params, ...moved.names };
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_whole, name: string) =>
    name === endpoint.asSent ? String(values[name]) : encodeURIComponent(values[name] ?? ""),
  );
  return new Response(null, { status: 307, headers: { location: `${base}${path}${search}` } });
}

function matchUnder(base: string, routes: Routes, method: string, path: string): Match {
  const isUnder = path.toLowerCase().startsWith(`${base}/`);
  return isUnder ? routes.match(method, path.slice(base.length)) : { kind: "unknown" };
}

async function respond(options: OperationsOptions, incoming: Incoming, found: Match): Promise<Response> {
  const { forge } = options;
  const { rootUrl } = forge.config;
  if (found.kind === "malformed") return problem(400, "the path holds a malformed percent-encoding", rootUrl);
  if (found.kind === "unknown") return problem(404, "there is no such path in this API", rootUrl);
  if (found.kind === "wrong-method") {
    const response = problem(405, `this path answers ${found.allowed.join(", ")}`, rootUrl);
    response.headers.set("allow", found.allowed.join(", "));
    return response;
  }
  const { request, url, address, linkedActor, sent } = incoming;
  const count = (who: Counted) => countRequest(forge, who, costOf(found.endpoint, url));
  if (linkedActor !== undefined) {
    count(countedAs(linkedActor.actor, address));
    const actor = await admit(forge, { ...linkedActor, sudo: undefined, isPasswordChange: false });
    const ahead = { forge, read: nothingAhead };
    return answerBounded(options, { request, url, found, actor, ahead, address, sent });
  }
  const credentials = credentialsOf(request, url, forge, address);
  const { caller, ahead } = await countedCaller(forge, credentials, { named: repositoryIn(found), count });
  try {
    const isPasswordChange = found.endpoint.isPasswordChange === true;
    const sudo = sudoOf(request.headers, url);
    const actor = await admit(ahead.forge, { actor: caller.actor, sudo, isPasswordChange });
    return await answerBounded(options, { request, url, found, actor, ahead, address, sent });
  } finally {
    await noteCaller(forge, caller);
  }
}

/** Answers within the time bound; with a redirect to the streamed answer when it is too large (D-BIGBODY). */
async function answerBounded(options: OperationsOptions, admitted: Admitted): Promise<Response> {
  const { forge, mostAnswerBytes = Number.POSITIVE_INFINITY } = options;
  const { request, url, actor } = admitted;
  const response =
    admitted.found.endpoint.takesFile === undefined
      ? await withinTime(request, (time) => performHolding(options, admitted, time))
      : await performHolding(options, admitted, untimed(request));
  const isRead = request.method === "GET" && response.ok;
  if (!isRead || Number(response.headers.get("content-length")) <= mostAnswerBytes) return response;
  await response.body?.cancel();
  const location = linkToAnswer(forge, { path: `${url.pathname}${url.search}`, actor });
  return new Response(null, { status: 302, headers: { location, "cache-control": "no-store" } });
}

/** The repository whose rights an operation asks for, by name, with the keys that the handler reads first. */
function repositoryIn({ endpoint, params }: MatchedEndpoint) {
  const isByName = endpoint.needs.repository !== undefined && params.owner !== undefined;
  if (!isByName) return undefined;
  return {
    owner: String(params.owner),
    repo: String(params.repo),
    keys: (repositoryId: number) => endpoint.readsAhead?.(repositoryId, params) ?? [],
  };
}

/** A request whose caller was let in. */
interface Admitted {
  readonly request: Request;
  readonly url: URL;
  readonly found: MatchedEndpoint;
  readonly actor: Actor | undefined;
  readonly ahead: CallerAhead;
  readonly address: string;
  readonly sent: SentAnswer | undefined;
}

/** The memory that a request holds is given back when its work is over, even when its answer was given up before. */
async function performHolding(
  { forge, intake = unboundedIntake() }: OperationsOptions,
  admitted: Admitted,
  time: AnswerTime,
): Promise<Response> {
  const holding = intake.open(callerOf(admitted.actor, admitted.address), admitted.sent);
  try {
    const body = new RequestBody(admitted.request, { holding, config: forge.config, time });
    const asking = asCaller(forge, holding, () => time.signal());
    return await perform(asking, admitted, time, body);
  } finally {
    await holding.release();
  }
}

async function perform(
  asking: Forge,
  admitted: Admitted,
  time: AnswerTime,
  requestBody: RequestBody,
): Promise<Response> {
  const { request, url, found, actor, ahead, address } = admitted;
  const { endpoint, params } = found;
  const { config } = asking;
  const isRead = request.method === "GET" || request.method === "HEAD";
  const asked = { actor, params, isRead };
  const resolved = await resolveNeeds(
    ahead.forge,
    endpoint.isBodyFirst ? openNeeds(endpoint.needs) : endpoint.needs,
    asked,
  );
  const { access, organization } = resolved;
  requireNoForeignPage(request, actor, config);
  const page = readPage(url.searchParams, config);
  const { query, body } = await readInputs(requestBody, url, endpoint, asking.compute).catch(
    async (refusal: unknown) => {
      await endpoint.thingRights?.({ forge: asking, actor, access, organization, params } as Parameters<
        typeof endpoint.thingRights
      >[0]);
      throw refusal;
    },
  );
  if (endpoint.isBodyFirst && access !== undefined) requireRights(endpoint.needs, access);
  const publicUrl = new URL(`${config.rootUrl}${url.pathname}${url.search}`);
  const upload = uploadOf(requestBody, asking.compute);
  const keysAhead = access === undefined ? [] : endpoint.readsAhead?.(access.repository.id, params);
  const input = {
    forge: forgeOnceWith(asking, ahead.read, keysAhead ?? []),
    actor,
    ...resolved,
    params,
    query,
    body,
    upload,
    page,
    url: publicUrl,
    address,
    get signal() {
      return time.signal();
    },
  };
  await reserveTexts(asking, endpoint, page);
  const result = await endpoint.handle(input as unknown as Parameters<Endpoint["handle"]>[0]);
  const isElsewhere = result instanceof Reply && result.value === undefined;
  if (endpoint.returns !== undefined && "file" in endpoint.returns && !isElsewhere) {
    return fileAnswer(
      request,
      (result instanceof Reply ? result.value : result) as FileAnswer,
      time.signal(),
    );
  }
  return notModified(request, answerOf(endpoint, result, { config, page, url: publicUrl }));
}

/** A text is in memory as it was read, as a value, in JSON, and in the sent bytes. */
const textFactor = 3;

/** Before a page of long texts is read: how long these are shows too late. */
async function reserveTexts(asking: Forge, { returns }: Endpoint, page: Page): Promise<void> {
  const hasTexts = returns !== undefined && "list" in returns && returns.hasTexts === true;
  if (hasTexts) await asking.reserve(page.limit * mostBodyBytes * textFactor);
}
