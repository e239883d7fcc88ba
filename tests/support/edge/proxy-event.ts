import { randomUUID } from "node:crypto";
import type { APIGatewayProxyEventV2, Context } from "aws-lambda";
import type { EdgeRequest } from "./messages.ts";

/** The address that an origin sees: CloudFront's, not the client's. */
const cloudFrontAddress = "130.176.0.10";
const account = "123456789012";

/** Bodies of these types arrive as text, all others, and all encoded ones, in base64. */
const textType = /^(text\/|application\/(json|javascript|xml)\b)|\+(json|xml)\b/i;

/** The path as both fronts hand it on: decoded once, cut at a decoded question mark. Undefined when it can't be decoded. */
function decodedPath(path: string): string | undefined {
  try {
    return decodeURIComponent(path).split("?")[0];
  } catch {
    return undefined;
  }
}

function splitCookies({ cookie, ...headers }: Record<string, string>) {
  return { headers, ...(cookie === undefined ? {} : { cookies: cookie.split("; ") }) };
}

function queryParameters(query: string): { queryStringParameters?: Record<string, string> } {
  if (query === "") return {};
  const joined: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(query)) {
    joined[name] = joined[name] === undefined ? value : `${joined[name]},${value}`;
  }
  return { queryStringParameters: joined };
}

function bodyMembers({ body, headers }: EdgeRequest): { body?: string; isBase64Encoded: boolean } {
  if (body.length === 0) return { isBase64Encoded: false };
  const isText = textType.test(headers["content-type"] ?? "") && headers["content-encoding"] === undefined;
  return { body: body.toString(isText ? "utf8" : "base64"), isBase64Encoded: !isText };
}

/** The event of payload format 2.0, which HTTP API and function URLs share. Undefined for a path that can't be decoded. */
export function proxyEvent(request: EdgeRequest, domainName: string): APIGatewayProxyEventV2 | undefined {
  const rawPath = decodedPath(request.path);
  if (rawPath === undefined) return undefined;
  const now = new Date();
  const [domainPrefix = ""] = domainName.split(".");
  const sent = {
    ...request.headers,
    host: domainName,
    "x-forwarded-for": `${request.headers["x-forwarded-for"]}, ${cloudFrontAddress}`,
    "x-forwarded-port": "443",
    "x-forwarded-proto": "https",
    "x-amzn-trace-id": `Root=1-${randomUUID()}`,
    "content-length": String(request.body.length),
  };
  return {
    version: "2.0",
    routeKey: "$default",
    rawPath,
    rawQueryString: request.query,
    ...splitCookies(sent),
    ...queryParameters(request.query),
    requestContext: {
      accountId: account,
      apiId: domainPrefix,
      domainName,
      domainPrefix,
      http: {
        method: request.method,
        path: rawPath,
        protocol: "HTTP/1.1",
        sourceIp: cloudFrontAddress,
        userAgent: request.headers["user-agent"] ?? "",
      },
      requestId: randomUUID(),
      routeKey: "$default",
      stage: "$default",
      time: now.toISOString(),
      timeEpoch: now.getTime(),
    },
    ...bodyMembers(request),
  };
}

/** What Lambda hands to a handler beside the event. */
export function lambdaContext(functionName: string, timeoutMs: number): Context {
  const end = Date.now() + timeoutMs;
  return {
    awsRequestId: randomUUID(),
    callbackWaitsForEmptyEventLoop: true,
    functionName,
    functionVersion: "$LATEST",
    invokedFunctionArn: `arn:aws:lambda:eu-west-1:${account}:function:${functionName}`,
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: "edge",
    memoryLimitInMB: "1769",
    getRemainingTimeInMillis: () => Math.max(0, end - Date.now()),
    done: () => undefined,
    fail: () => undefined,
    succeed: () => undefined,
  };
}
