import type { IncomingMessage } from "node:http";
import { runInNewContext } from "node:vm";
import type { CloudFrontResponseEvent } from "aws-lambda";
import { restoreChallenge } from "#infra/aws/edge/restore-challenge";
import { viewerRequestCode } from "#infra/aws/edge/viewer-request";
import { type EdgeAnswer, type EdgeRequest, frontAnswer } from "./messages.ts";

/** Headers that end at each hop, and those that CloudFront takes away. */
const hopHeaders = new Set([
  "connection",
  "expect",
  "host",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

const methods = new Set(["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"]);
const longestUrl = 8192;

interface CloudFrontValue {
  value: string;
  multiValue?: { value: string }[];
}

/** Repeated headers as CloudFront's functions see them. */
function cloudFrontHeaders(rawHeaders: readonly string[]): Record<string, CloudFrontValue> {
  const headers: Record<string, CloudFrontValue> = {};
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? "";
    const value = rawHeaders[at + 1] ?? "";
    if (hopHeaders.has(name)) continue;
    const known = headers[name];
    if (known === undefined) headers[name] = { value };
    else known.multiValue = [...(known.multiValue ?? [{ value: known.value }]), { value }];
  }
  return headers;
}

/** Why CloudFront refuses a request before any origin sees it, if it does. */
export function refusal(request: IncomingMessage, body: Buffer): EdgeAnswer | undefined {
  const method = request.method ?? "";
  if (!methods.has(method)) return frontAnswer(403, "This distribution does not allow the method");
  if ((request.url ?? "").length > longestUrl) return frontAnswer(414, "The URL is too long");
  if (body.length > 0 && (method === "GET" || method === "HEAD")) return frontAnswer(403, "Bad request");
  return undefined;
}

/** What a CloudFront function answers itself. */
interface GeneratedAnswer {
  readonly statusCode: number;
  readonly headers: Record<string, CloudFrontValue>;
  readonly body: { readonly data: string };
}

const generated = ({ statusCode, headers, body }: GeneratedAnswer): EdgeAnswer => ({
  status: statusCode,
  headers: Object.entries(headers).map(([name, { value }]) => [name, value] as const),
  body: Buffer.from(body.data),
});

/**
 * What CloudFront sends on, or answers itself: it runs the deployed viewer-request code (infra/aws/edge), appends the viewer's address,
 * and ends hop-by-hop headers, chunks and trailers.
 */
export function towardsOrigin(
  request: IncomingMessage,
  body: Buffer,
  originSecret: string,
): EdgeRequest | EdgeAnswer {
  const [path = "/", ...rest] = (request.url ?? "/").split("?");
  const viewer = request.socket.remoteAddress?.replace(/^::ffff:/, "") ?? "";
  const event = {
    viewer: { ip: viewer },
    request: { method: request.method, uri: path, headers: cloudFrontHeaders(request.rawHeaders) },
  };
  const answered = runInNewContext(`(() => {${viewerRequestCode(originSecret)}\n})()`, { event });
  if (answered !== undefined) return generated(answered as GeneratedAnswer);
  const headers: Record<string, string> = {};
  for (const [name, { value, multiValue }] of Object.entries(event.request.headers)) {
    headers[name] = (multiValue ?? [{ value }]).map((one) => one.value).join(name === "cookie" ? "; " : ",");
  }
  const forwarded = headers["x-forwarded-for"];
  headers["x-forwarded-for"] = forwarded === undefined ? viewer : `${forwarded}, ${viewer}`;
  headers["x-forwarded-host"] = request.headers.host ?? "";
  headers.via = "1.1 edge.cloudfront.net (CloudFront)";
  headers["x-amz-cf-id"] = "edge-request";
  return { method: request.method ?? "GET", path, query: rest.join("?"), headers, body };
}

/** The origin-response trigger, run as deployed over an answer's headers. */
export async function towardsViewer(answer: EdgeAnswer, restoresChallenge: boolean): Promise<EdgeAnswer> {
  if (!restoresChallenge) return answer;
  const headers: Record<string, { key: string; value: string }[]> = {};
  for (const [name, value] of answer.headers) {
    headers[name] = [...(headers[name] ?? []), { key: name, value }];
  }
  const response = { status: String(answer.status), statusDescription: "", headers };
  const event = { Records: [{ cf: { response } }] } as unknown as CloudFrontResponseEvent;
  const restored = await restoreChallenge(event);
  const flat = Object.values(restored?.headers ?? {}).flatMap((values) =>
    values.map(({ key = "", value }) => [key.toLowerCase(), value] as const),
  );
  return { ...answer, headers: flat };
}
