import { Transform } from "node:stream";
import type { APIGatewayProxyEventV2, Context } from "aws-lambda";
import type { Manners } from "./manners.ts";
import { type EdgeAnswer, type EdgeRequest, frontAnswer } from "./messages.ts";
import { lambdaContext, proxyEvent } from "./proxy-event.ts";
import { renameHeaders } from "./renamed-headers.ts";
import { ResponseStream } from "./response-stream.ts";

/** A handler behind a function URL that streams, such as hono's `streamHandle(app)`. */
export type StreamingHandler = (
  event: APIGatewayProxyEventV2,
  responseStream: ResponseStream,
  context: Context,
) => unknown;

const urlDomain = "git.lambda-url.eu-west-1.on.aws";

/** Breaks the stream past the largest answer that Lambda streams. */
function bounded(limitBytes: number): Transform {
  let sentBytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sentBytes += chunk.length;
      if (sentBytes > limitBytes) done(new Error(`more than ${limitBytes} bytes streamed`));
      else done(null, chunk);
    },
  });
}

function streamedAnswer(stream: ResponseStream, limitBytes: number): EdgeAnswer {
  const { statusCode = 200, headers = {}, cookies = [] } = stream.metadata;
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  const body = bounded(limitBytes);
  stream.on("error", (error) => body.destroy(error));
  body.on("close", () => stream.destroy());
  return {
    status: statusCode,
    headers: [...renameHeaders(named), ...cookies.map((cookie) => ["set-cookie", cookie] as const)],
    body: stream.pipe(body),
  };
}

/** A function URL with invoke mode RESPONSE_STREAM: the request buffered and bounded, the answer as it is written. */
export async function callFunctionUrl(
  handler: StreamingHandler,
  request: EdgeRequest,
  manners: Manners,
): Promise<EdgeAnswer> {
  const event = proxyEvent(request, urlDomain);
  if (event === undefined) return frontAnswer(400, "Bad Request");
  if (JSON.stringify(event).length > manners.lambdaPayloadBytes) {
    return frontAnswer(413, `Request must be smaller than ${manners.lambdaPayloadBytes} bytes`);
  }
  const stream = new ResponseStream();
  const timer = setTimeout(
    () => stream.destroy(new Error("the git function timed out")),
    manners.gitTimeoutMs,
  );
  stream.once("close", () => clearTimeout(timer));
  Promise.resolve(handler(event, stream, lambdaContext("Git", manners.gitTimeoutMs))).catch((error: Error) =>
    stream.destroy(error),
  );
  try {
    await stream.started;
  } catch (error) {
    console.error("the git function gave no answer", error);
    return frontAnswer(502, "Internal Server Error");
  }
  return streamedAnswer(stream, manners.streamedBytes);
}
