import { type Context, Hono } from "hono";
import { ForgeError } from "#core/errors";
import { type Forge, withLogFields } from "#core/forge";
import { advertiseReceivePack, advertiseUploadPack } from "#core/git/protocol/advertise";
import { dataPacket, flushPacket } from "#core/git/protocol/pkt-line";
import { ProtocolError } from "#core/git/protocol/protocol-error";
import type { ProtocolVersion } from "#core/git/protocol/upload-pack";
import { advertiseV2 } from "#core/git/protocol/upload-pack-v2";
import { openRepository } from "#core/git/store/store";
import { statusOf } from "../http/answer/problems.ts";
import { ClientLeft, canDecode } from "../http/body/incoming-body.ts";
import { clientAddressOf } from "../http/client-address.ts";
import { requestIdOf } from "../http/request-id.ts";
import { gitHeaders, refusalAnswer, textAnswer } from "./answer.ts";
import { type GitApp, type GitAppOptions, gitApp } from "./git-app.ts";
import { goGetAnswer } from "./go-get.ts";
import { packService } from "./pack-service.ts";
import type { GitRequest, GitService, ResolvedRepository } from "./resolve-contract.ts";
import { streamAnswer } from "./stream-answer.ts";

/** The app for one request: with its id, which its log lines carry. */
interface AskedApp extends GitApp {
  readonly requestId: string;
}

type GitContext = Context<{ Variables: { asked: AskedApp } }>;

/** Git over smart HTTP: the two services of each repository, with and without `.git` in its path. */
export function createGitApp(given: GitAppOptions): Hono {
  const options = gitApp(given);
  const app = new Hono<{ Variables: { asked: AskedApp } }>();
  app.use(async (context, next) => {
    const requestId = requestIdOf(context.env, context.req.raw.headers);
    context.set("asked", { ...options, requestId, forge: withLogFields(options.forge, { requestId }) });
    await next();
    context.res.headers.set("x-request-id", requestId);
  });
  app.use(async (context, next) => goGetAnswer(context.req.raw, given.forge.config.rootUrl) ?? next());
  app.get("/:owner/:repo/info/refs", advertise);
  for (const service of ["upload", "receive"] as const) {
    const path = `/:owner/:repo/git-${service}-pack`;
    app.post(path, (context) => serve(context, service));
    app.all(path, () => textAnswer(405, "this path takes POST", { allow: "POST" }));
  }
  app.all("/:owner/:repo/info/refs", () => textAnswer(405, "this path takes GET", { allow: "GET, HEAD" }));
  for (const path of ["/:owner/:repo/HEAD", "/:owner/:repo/objects/*"]) {
    app.all(path, () =>
      textAnswer(404, "files of the dumb protocol are not served; use a git of this century"),
    );
  }
  app.get("/", () => textAnswer(200, welcome(options.forge)));
  app.notFound(() => textAnswer(404, noPages(options.forge)));
  app.onError((error, context) => failureAnswer(context.get("asked").forge, error));
  return app as unknown as Hono;
}

const welcome = ({ config: { rootUrl, enableSwagger } }: Forge): string =>
  [
    "Coldforge: git repositories behind a JSON API.",
    `  API        ${rootUrl}/api/v1`,
    ...(enableSwagger
      ? [`  to read    ${rootUrl}/api/swagger (for programs: /api/v1/openapi.json, /swagger.v1.json)`]
      : []),
    `  git        git clone ${rootUrl}/<owner>/<repository>.git`,
  ].join("\n");

/** For people who open the address of a repository or an issue. The same for everything, whether it is there or not. */
const noPages = ({ config: { rootUrl, enableSwagger } }: Forge): string =>
  [
    "There is no page here: Coldforge has none for repositories, issues and people.",
    `The API has what they would show: ${rootUrl}/api/${enableSwagger ? "swagger" : "v1"}`,
    `To clone: git clone ${rootUrl}/<owner>/<repository>.git`,
  ].join("\n");

/** Refusals that depend on the cost of a request, not on its target. */
const toldByGit: ReadonlySet<string> = new Set([
  "too-large",
  "too-slow",
  "rate-limited",
  "unavailable",
  "storage-full",
]);

function failureAnswer({ log }: Forge, error: Error): Response {
  if (error instanceof ProtocolError) return textAnswer(400, error.message);
  // Nobody reads this one; the line in the log is written where the request is known.
  if (error instanceof ClientLeft) return textAnswer(400, error.message);
  if (error instanceof ForgeError && toldByGit.has(error.code)) {
    const { code, message, retryAfterSeconds = 2 } = error;
    const status = statusOf[code];
    const later = { "retry-after": String(retryAfterSeconds) };
    return textAnswer(status, message, status === 408 ? { connection: "close" } : status >= 429 ? later : {});
  }
  log.error("git:unexpected-error", { error });
  return textAnswer(500, "something went wrong on our side");
}

const services: ReadonlyMap<string, GitService> = new Map([
  ["git-upload-pack", "upload"],
  ["git-receive-pack", "receive"],
]);

/** The highest version that the client names and the service speaks; pushes know 0 and 1. */
function versionOf(context: GitContext, service: GitService): ProtocolVersion {
  const named = (context.req.header("git-protocol") ?? "").split(":");
  if (named.includes("version=2") && service === "upload") return 2;
  return named.includes("version=1") ? 1 : 0;
}

type Stage = Pick<GitRequest, "isFirst" | "opens">;

function resolve(context: GitContext, service: GitService, stage: Stage) {
  const { resolve: find, forge } = context.get("asked");
  return find({
    headers: context.req.raw.headers,
    owner: context.req.param("owner") ?? "",
    repo: (context.req.param("repo") ?? "").replace(/\.git$/, ""),
    service,
    ...stage,
    environment: context.env,
    log: forge.log,
  });
}

const hasCredentials = (context: GitContext): boolean => context.req.header("authorization") !== undefined;

const anonymousPush = (): Response =>
  refusalAnswer({ ok: false, status: 401, message: "log in to push" }, false);

const goneAnswer = (context: GitContext): Response =>
  refusalAnswer({ ok: false, status: 404, message: "repository does not exist" }, hasCredentials(context));

async function advertise(context: GitContext): Promise<Response> {
  const name = context.req.query("service");
  const service = services.get(name ?? "");
  if (name === undefined || service === undefined) {
    return textAnswer(
      400,
      name === undefined
        ? "the dumb protocol is not served; use a git that speaks smart HTTP"
        : `there is no service "${name.slice(0, 80)}"`,
    );
  }
  const version = versionOf(context, service);
  const resolved = await resolve(context, service, { isFirst: true, opens: version !== 2 });
  if (!resolved.ok) return refusalAnswer(resolved, hasCredentials(context));
  if (service === "receive" && resolved.actorId === undefined) return anonymousPush();
  const asked = context.get("asked");
  const sessionId = sessionIdOf(asked);
  const packets = await advertisement(asked, resolved, { service, version, sessionId });
  if (packets === undefined) return goneAnswer(context);
  return new Response(Buffer.concat(packets), { headers: gitHeaders(service, "advertisement") });
}

/** Clients that log their sessions note this beside their own id: our request's id, as the protocol allows. */
const sessionIdOf = ({ requestId }: AskedApp): string => requestId.replaceAll(/[^!-~]/g, "-").slice(0, 100);

async function advertisement(
  { forge }: GitAppOptions,
  { repository, stores = forge }: ResolvedRepository,
  asked: { readonly service: GitService; readonly version: ProtocolVersion; readonly sessionId: string },
): Promise<Buffer[] | undefined> {
  const { service, version, sessionId } = asked;
  if (version === 2) return advertiseV2(repository.objectFormat, sessionId);
  const opened = await openRepository(stores, repository.id);
  if (opened === undefined) return undefined;
  return [
    dataPacket(`# service=git-${service}-pack\n`),
    flushPacket,
    ...(version === 1 ? [dataPacket("version 1\n")] : []),
    ...(service === "upload" ? advertiseUploadPack(opened, sessionId) : advertiseReceivePack(opened)),
  ];
}

/** The log's facts about a failed answer. */
type AnswerFacts = { repositoryId: number; service: GitService; clientSession?: string };

async function serve(context: GitContext, service: GitService): Promise<Response> {
  const request = context.req.raw;
  const type = (request.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase();
  const expected = `application/x-git-${service}-pack-request`;
  if (type !== expected) return textAnswer(415, `this path takes ${expected}`);
  if (!canDecode(request)) return textAnswer(415, "this server reads bodies that are plain or gzip");
  const resolved = await resolve(context, service, { opens: true });
  if (!resolved.ok) return refusalAnswer(resolved, hasCredentials(context));
  if (service === "receive" && resolved.actorId === undefined) return anonymousPush();
  const options = context.get("asked");
  const repository = await openRepository(resolved.stores ?? options.forge, resolved.repository.id);
  if (repository === undefined) return goneAnswer(context);
  const facts: AnswerFacts = { repositoryId: resolved.repository.id, service };
  const abort = abortWithClient(request, () => options.forge.log.info("git:client-left", facts));
  const onBroken = (error: unknown) => options.forge.log.error("git:broken-answer", { ...facts, error });
  const pieces = packService(options, {
    ...{ service, version: versionOf(context, service), repository, resolved, request, onBroken },
    address: clientAddressOf(context.env, request.headers, options.forge.config),
    signal: abort.signal,
    onSession: (id) => {
      facts.clientSession = id.slice(0, 200);
    },
  });
  try {
    return await streamAnswer(pieces, { headers: gitHeaders(service, "result"), abort, onBroken });
  } catch (error) {
    if (error instanceof ClientLeft) abort.abort(error);
    throw abort.signal.aborted ? new ClientLeft("it was answered", error) : error;
  }
}

/** Aborted when the client leaves, by whichever sign of it comes first; `onLeft` is called once. */
function abortWithClient(request: Request, onLeft: () => void): AbortController {
  const abort = new AbortController();
  abort.signal.addEventListener("abort", onLeft, { once: true });
  const leave = () => abort.abort(request.signal.reason);
  if (request.signal.aborted) leave();
  else request.signal.addEventListener("abort", leave, { once: true });
  return abort;
}
