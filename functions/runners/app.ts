import type { Context } from "hono";
import { callerOf } from "#core/caller/caller";
import { countRequest } from "#core/caller/rates";
import { type Intake, unboundedIntake } from "#core/capacity/intake";
import { asCaller, type Forge } from "#core/forge";
import { findCallingRunner, noteRunnerSeen } from "#core/runner/authentication";
import { withinTime } from "../http/answer/answer-time.ts";
import { canDecode } from "../http/body/incoming-body.ts";
import { RequestBody } from "../http/body/request-body.ts";
import { type Call, type CallOptions, closeCall, openCall } from "../http/call.ts";
import { connectAnswer, type Encoding, encode, encodingOf } from "./codec.ts";
import { ConnectError, connectErrorAnswer, connectErrorOf } from "./connect-error.ts";
import { decode } from "./decode-task.ts";
import { type Method, methods, type RunnerMethod } from "./methods.ts";

interface RunnerOptions extends CallOptions {
  readonly intake?: Intake;
}

const base = "/api/actions";
/** Rows of logs come in requests of some hundred KB; API Gateway takes no more than this in base64. */
const mostLongBytes = 4 * 2 ** 20;
/** All else is some labels: strangers may send it, and compressed. */
const mostShortBytes = 64 * 2 ** 10;

/** Serves the runner protocol: Connect's unary calls, in JSON and protobuf (semantics §60.1). */
export async function answerRunner(options: RunnerOptions, context: Context): Promise<Response> {
  const call = openCall(options, context);
  try {
    const { pathname } = call.url;
    const method = Object.hasOwn(methods, pathname.slice(base.length))
      ? methods[pathname.slice(base.length)]
      : undefined;
    if (method === undefined) throw new ConnectError("unimplemented", `there is no method at ${pathname}`);
    const refused = refusedForm(call.request);
    if (refused !== undefined) return closeCall(call, refused);
    const answer = await withinTime(call, async (time) => {
      const holding = (options.intake ?? unboundedIntake()).open(callerOf(undefined, call.address), {
        answer: call.sent,
        signal: () => time.signal(),
      });
      try {
        const body = new RequestBody(call.request, { holding, config: call.forge.config, time });
        return await perform(asCaller(call.forge, holding, time), call, method, body);
      } finally {
        await holding.release();
      }
    });
    return closeCall(call, answer);
  } catch (error) {
    return closeCall(call, refusalOf(call, error));
  }
}

/** Plain HTTP's refusals of what is no call at all; undefined for a call. */
function refusedForm(request: Request): Response | undefined {
  if (request.method !== "POST") return new Response(null, { status: 405, headers: { allow: "POST" } });
  if (encodingOf(request) === undefined) {
    const headers = { "accept-post": "application/json, application/proto" };
    return new Response(null, { status: 415, headers });
  }
  if (!canDecode(request)) throw new ConnectError("unimplemented", "bodies are plain, or compressed by gzip");
  const version = request.headers.get("connect-protocol-version") ?? "1";
  if (version !== "1") throw new ConnectError("invalid_argument", "Connect-Protocol-Version has to be 1");
  return undefined;
}

async function perform(forge: Forge, call: Call, method: Method, body: RequestBody): Promise<Response> {
  const { request, address } = call;
  const encoding = encodingOf(request) as Encoding;
  if (method.by === "anybody") {
    countRequest(forge, { address }, "light");
    const message = await readMessage(forge, method, body, encoding);
    return connectAnswer(
      request,
      encode(method.answers, await method.handle(forge, message), encoding),
      encoding,
    );
  }
  const caller = await callingRunner(forge, request, address, method.readsAlong);
  const { runner } = caller;
  countRequest(forge, { runnerId: runner.id }, "light");
  const message = await readMessage(forge, method, body, encoding);
  const answer = await method.handle(forge, caller, message);
  await noteRunnerSeen(forge, runner, method.isActive === true).catch((error: unknown) =>
    forge.log.warn("runners:call-not-noted", { error }),
  );
  return connectAnswer(request, encode(method.answers, answer, encoding), encoding);
}

const readMessage = async (forge: Forge, { takes, isLong }: Method, body: RequestBody, encoding: Encoding) =>
  decode<never>(forge.compute, {
    bytes: await body.bytes(isLong === true ? mostLongBytes : mostShortBytes),
    ...{ name: takes, encoding },
  });

/** The runner that a request's headers name. Those that name none count against their network (D-RATE). */
async function callingRunner(
  forge: Forge,
  { headers }: Request,
  address: string,
  readsAlong: RunnerMethod["readsAlong"],
) {
  const [uuid, token] = ["x-runner-uuid", "x-runner-token"].map((name) => headers.get(name) ?? "");
  const found = uuid && token ? await findCallingRunner(forge, { uuid, token }, readsAlong) : undefined;
  if (found !== undefined) return found;
  countRequest(forge, { address }, "light");
  throw new ConnectError("unauthenticated", "unregistered runner: its UUID or its token is not known here");
}

function refusalOf({ forge, requestId }: Call, error: unknown): Response {
  const refusal = connectErrorOf(error);
  if (refusal !== undefined) return connectErrorAnswer(refusal);
  forge.log.error("runners:unexpected-error", { error });
  const message = `something went wrong on our side; the log knows it as request ${requestId}`;
  return connectErrorAnswer(new ConnectError("internal", message));
}
