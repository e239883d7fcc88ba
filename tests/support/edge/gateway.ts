import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from "aws-lambda";
import type { Manners } from "./manners.ts";
import { type EdgeAnswer, type EdgeRequest, frontAnswer } from "./messages.ts";
import { lambdaContext, proxyEvent } from "./proxy-event.ts";
import { renameHeaders } from "./renamed-headers.ts";

/** A handler behind HTTP API, such as hono's `handle(app)`. */
export type BufferedHandler = (event: APIGatewayProxyEventV2, context: Context) => unknown;

const gatewayDomain = "gateway.execute-api.eu-west-1.amazonaws.com";
const timedOut = Symbol("timed out");

async function withinTime(work: unknown, timeoutMs: number): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise((resolve) => {
    timer = setTimeout(resolve, timeoutMs, timedOut);
  });
  try {
    return await Promise.race([work, end]);
  } finally {
    clearTimeout(timer);
  }
}

function gatewayAnswer(result: APIGatewayProxyStructuredResultV2): EdgeAnswer {
  const headers = Object.entries(result.headers ?? {}).map(
    ([name, value]) => [name.toLowerCase(), String(value)] as const,
  );
  const cookies = (result.cookies ?? []).map((cookie) => ["set-cookie", cookie] as const);
  return {
    status: result.statusCode ?? 200,
    headers: [...renameHeaders(headers), ...cookies, ["apigw-requestid", "edge"]],
    body: Buffer.from(result.body ?? "", result.isBase64Encoded ? "base64" : "utf8"),
  };
}

/** HTTP API in front of a Lambda function: everything buffered, bounded, and over after the function's timeout. */
export async function callGateway(
  handler: BufferedHandler,
  request: EdgeRequest,
  manners: Manners,
): Promise<EdgeAnswer> {
  if (request.body.length > manners.gatewayBodyBytes) return frontAnswer(413, "Request Entity Too Large");
  const event = proxyEvent(request, gatewayDomain);
  if (event === undefined) return frontAnswer(400, "Bad Request");
  if (JSON.stringify(event).length > manners.lambdaPayloadBytes) {
    return frontAnswer(413, "Request Entity Too Large");
  }
  const failed = frontAnswer(500, "Internal Server Error");
  try {
    const context = lambdaContext("Api", manners.apiTimeoutMs);
    const result = await withinTime(handler(event, context), manners.apiTimeoutMs);
    if (result === timedOut) return failed;
    if (JSON.stringify(result).length > manners.lambdaPayloadBytes) return failed;
    return gatewayAnswer(result as APIGatewayProxyStructuredResultV2);
  } catch (error) {
    console.error("the API function failed", error);
    return failed;
  }
}
