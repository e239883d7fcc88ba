import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { Headers } from "./body.ts";
import { S3Error } from "./error.ts";
import type { Target } from "./operation.ts";

/** The one key pair that the stand-in accepts. */
export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
}

/** The input of a signature (AWS Signature Version 4). */
export interface SignedRequest {
  method: string;
  target: Target;
  headers: Headers;
}

interface Claim {
  accessKeyId: string;
  /** day/region/service/aws4_request */
  scope: string;
  signedHeaders: string[];
  signature: string;
  /** Basic ISO 8601, for instance 20260102T030405Z. */
  date: string;
  /** Set for presigned addresses. */
  expiresSeconds?: number;
  payloadHash: string;
}

const maximumSkewMs = 15 * 60 * 1000;
const maximumExpiresSeconds = 7 * 24 * 3600;

const accessDenied = (message: string) => new S3Error(403, "AccessDenied", message);
const malformed = (message: string) => new S3Error(400, "AuthorizationHeaderMalformed", message);

/**
 * Accepts a request that is signed with `credentials`, by header or presigned, and in time; throws S3Error (403, 400)
 * otherwise. `now` is in milliseconds.
 */
export function verifySignature(request: SignedRequest, credentials: Credentials, now: number): void {
  const claim = request.target.query.has("X-Amz-Signature") ? queryClaim(request) : headerClaim(request);
  const signedAt = parseDate(claim.date);
  if (claim.expiresSeconds !== undefined && now > signedAt + claim.expiresSeconds * 1000) {
    throw accessDenied("Request has expired");
  }
  const isTooOld = claim.expiresSeconds === undefined && now - signedAt > maximumSkewMs;
  if (isTooOld || signedAt - now > maximumSkewMs) {
    throw new S3Error(403, "RequestTimeTooSkewed", "The request's time and the server's differ too much.");
  }
  if (claim.accessKeyId !== credentials.accessKeyId) {
    throw new S3Error(403, "InvalidAccessKeyId", "The access key id is not known.");
  }
  if (!claim.signedHeaders.includes("host")) throw malformed("The host header must be signed.");
  const expected = sign(request, claim, credentials.secretAccessKey);
  const given = Buffer.from(claim.signature, "hex");
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    throw new S3Error(403, "SignatureDoesNotMatch", "The signature does not match the request.");
  }
}

function headerClaim({ headers }: SignedRequest): Claim {
  const authorization = headers.get("authorization");
  if (authorization === undefined) throw accessDenied("The request is not signed.");
  const pattern =
    /^AWS4-HMAC-SHA256 Credential=([^/,]+)\/([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;
  const [, accessKeyId, scope, signedHeaders, signature] = pattern.exec(authorization) ?? [];
  if (accessKeyId === undefined || scope === undefined || signature === undefined) {
    throw malformed("The authorization header is not a Signature Version 4.");
  }
  return {
    accessKeyId,
    scope,
    signedHeaders: signedHeaders?.split(";") ?? [],
    signature,
    date: headers.get("x-amz-date") ?? "",
    payloadHash: headers.get("x-amz-content-sha256") ?? "",
  };
}

function queryClaim({ target }: SignedRequest): Claim {
  const parameter = (name: string): string => {
    const value = target.query.get(name);
    if (value === undefined) {
      throw new S3Error(400, "AuthorizationQueryParametersError", `The parameter ${name} is missing.`);
    }
    return value;
  };
  const expiresSeconds = Number(parameter("X-Amz-Expires"));
  const isSound =
    Number.isInteger(expiresSeconds) && expiresSeconds > 0 && expiresSeconds <= maximumExpiresSeconds;
  if (parameter("X-Amz-Algorithm") !== "AWS4-HMAC-SHA256" || !isSound) {
    throw new S3Error(
      400,
      "AuthorizationQueryParametersError",
      "X-Amz-Algorithm or X-Amz-Expires is not valid.",
    );
  }
  const [accessKeyId = "", ...scope] = parameter("X-Amz-Credential").split("/");
  return {
    accessKeyId,
    scope: scope.join("/"),
    signedHeaders: parameter("X-Amz-SignedHeaders").split(";"),
    signature: parameter("X-Amz-Signature"),
    date: parameter("X-Amz-Date"),
    expiresSeconds,
    payloadHash: target.query.get("X-Amz-Content-Sha256") ?? "UNSIGNED-PAYLOAD",
  };
}

function parseDate(date: string): number {
  const match = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date);
  if (match === null) throw accessDenied("The request carries no valid X-Amz-Date.");
  const [year = 0, month = 1, ...rest] = match.slice(1).map(Number);
  return Date.UTC(year, month - 1, ...rest);
}

/** Percent-encodes all but the unreserved characters of RFC 3986. */
export function encodeStrictly(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function canonicalRequest({ method, target, headers }: SignedRequest, claim: Claim): string {
  const query = [...target.query]
    .filter(([name]) => name !== "X-Amz-Signature")
    .map(([name, value]) => `${encodeStrictly(name)}=${encodeStrictly(value)}`)
    .sort();
  const signed = claim.signedHeaders.map((name) => {
    const text = headers.get(name) ?? "";
    return `${name}:${text.trim().replace(/\s+/g, " ")}\n`;
  });
  return [
    method,
    target.path.split("/").map(encodeStrictly).join("/"),
    query.join("&"),
    signed.join(""),
    claim.signedHeaders.join(";"),
    claim.payloadHash,
  ].join("\n");
}

function sign(request: SignedRequest, claim: Claim, secret: string): Buffer {
  const hash = createHash("sha256").update(canonicalRequest(request, claim)).digest("hex");
  const key = claim.scope
    .split("/")
    .reduce<Buffer>(
      (last, part) => createHmac("sha256", last).update(part).digest(),
      Buffer.from(`AWS4${secret}`),
    );
  return createHmac("sha256", key)
    .update(["AWS4-HMAC-SHA256", claim.date, claim.scope, hash].join("\n"))
    .digest();
}
