import { type Context, Hono } from "hono";
import { callerOf } from "#core/caller/caller";
import { type Intake, unboundedIntake } from "#core/capacity/intake";
import { ForgeError, notFound } from "#core/errors";
import { asCaller, type Forge } from "#core/forge";
import { lfsObjectKeys } from "#core/lfs/lfs";
import { isLfsOid } from "#core/lfs/pointer";
import { repositoryKey } from "#core/repository/repository.table";
import type { TableKey } from "#core/table/write";
import { type AnswerTime, withinTime, withoutBound } from "../http/answer/answer-time.ts";
import { RequestBody } from "../http/body/request-body.ts";
import { type Call, closeCall, openCall } from "../http/call.ts";
import { lfsProblem, lfsRefusal, lfsType } from "./answer.ts";
import { answerBatch } from "./batch.ts";
import { endLock, sendLocks, takeLock, verifyLocks } from "./locks.ts";
import { sendObject, takeObject, verifyObject } from "./objects.ts";
import type { LfsOperation } from "./operation.ts";
import { findLfsCaller, type LfsCaller, type LfsRequest, requireStill } from "./request.ts";

/** One path below `info/lfs`. */
interface LfsRoute {
  readonly method: "GET" | "POST" | "PUT";
  readonly path: string;
  readonly operation: LfsOperation;
  /** Its body or its answer is a file, however large and long. */
  readonly isFile?: true;
  readonly handle: (asked: LfsRequest) => Promise<Response>;
}

/** Everything below `info/lfs` (semantics §55.1). What an upload needs beyond a batch for downloads, the batch checks. */
const routes: readonly LfsRoute[] = [
  { method: "POST", path: "/objects/batch", operation: "download", handle: answerBatch },
  { method: "PUT", path: "/objects/:oid/:size", operation: "upload", isFile: true, handle: takeObject },
  { method: "GET", path: "/objects/:oid", operation: "download", isFile: true, handle: sendObject },
  { method: "GET", path: "/objects/:oid/:name", operation: "download", isFile: true, handle: sendObject },
  { method: "POST", path: "/verify", operation: "upload", handle: verifyObject },
  { method: "GET", path: "/locks", operation: "list-locks", handle: sendLocks },
  { method: "POST", path: "/locks", operation: "lock", handle: takeLock },
  { method: "POST", path: "/locks/verify", operation: "own-locks", handle: verifyLocks },
  { method: "POST", path: "/locks/:id/unlock", operation: "lock", handle: endLock },
];

interface LfsOptions {
  readonly forge: Forge;
  readonly intake?: Intake | undefined;
}

/** Git LFS, beside the git of each repository, with and without `.git` in its path. */
export function createLfsApp({ forge, intake = unboundedIntake() }: LfsOptions): Hono {
  const app = new Hono();
  const base = "/:owner/:repo/info/lfs";
  for (const route of routes) {
    app.on(route.method, base + route.path, (context) => serve({ forge, intake }, route, context));
  }
  app.all("*", (context) => {
    const call = openCall({ forge }, context);
    return closeCall(call, lfsProblem(call, 404, "Git LFS has no such path, or not by this method"));
  });
  return app;
}

async function serve(
  options: { readonly forge: Forge; readonly intake: Intake },
  route: LfsRoute,
  context: Context,
): Promise<Response> {
  const call = openCall(options, context);
  let caller: LfsCaller | undefined;
  try {
    requireServed(call, route);
    const { owner = "", repo = "", ...params } = context.req.param() as Record<string, string>;
    const target = { owner, repo: repo.replace(/\.git$/, ""), operation: route.operation };
    const keys = (repositoryId: number) => keysRead(route, params, repositoryId);
    const found = await findLfsCaller(call, { ...target, keys });
    caller = found;
    const bound = route.isFile === true ? withoutBound : withinTime;
    const response = await bound(call, (time) =>
      perform(options.intake, call, { route, found, params, time }),
    );
    return closeCall(call, call.request.method === "HEAD" ? new Response(null, response) : response);
  } catch (error) {
    return closeCall(call, lfsRefusal(call, error));
  } finally {
    await caller?.noteUse();
  }
}

/** What a request reads of its repository, as far as its path tells: it comes with the caller. */
function keysRead({ method }: LfsRoute, { oid = "" }: Params, repositoryId: number): TableKey[] {
  const isDownload = method === "GET" && isLfsOid(oid);
  return [repositoryKey(repositoryId), ...(isDownload ? lfsObjectKeys(repositoryId, [oid]) : [])];
}

/** 404 where Git LFS is switched off; 415 for a client that expects answers of another kind. */
function requireServed({ forge, request }: Call, { isFile }: LfsRoute): void {
  if (!forge.config.lfsStartServer) throw notFound("Git LFS is switched off on this instance");
  const accepted = (request.headers.get("accept") ?? "").split(";")[0]?.trim();
  if (isFile !== true && accepted !== lfsType) {
    throw new ForgeError("unsupported-media-type", `the header Accept has to be ${lfsType}`);
  }
}

/** Of a path, behind the repository. */
type Params = Readonly<Record<string, string>>;

interface Performed {
  readonly route: LfsRoute;
  readonly found: LfsCaller;
  readonly params: Params;
  readonly time: AnswerTime;
}

/** The memory and the files that it holds are given back when it is over. */
async function perform(intake: Intake, call: Call, { route, found, params, time }: Performed) {
  const { request, url, address, sent } = call;
  const { actor, access, uploadId } = found;
  const holding = intake.open(callerOf(actor, address), { answer: sent, signal: () => time.signal() });
  try {
    const forge = asCaller(call.forge, holding, time);
    return await route.handle({
      ...{ forge: found.ahead(forge), request, url, access, actor, uploadId, params },
      body: new RequestBody(request, { holding, config: forge.config, time }),
      signal: time.signal(),
      requireAllowed: (keys) => requireStill(forge, found, route.operation, keys),
    });
  } finally {
    await holding.release();
  }
}
