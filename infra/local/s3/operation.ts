import type { Headers } from "./body.ts";
import { notImplemented, S3Error } from "./error.ts";

/** A request as S3 understands it. `key` is empty for operations on the bucket. */
export interface Target {
  /** Decoded, as a signature covers it: a bucket's may end in a slash. */
  path: string;
  bucket: string;
  key: string;
  /** Decoded; a parameter without a value has the empty string. */
  query: ReadonlyMap<string, string>;
}

/** The operations that this stand-in knows. */
export type Operation =
  | "HeadBucket"
  | "ListObjectsV2"
  | "DeleteObjects"
  | "GetObject"
  | "HeadObject"
  | "PutObject"
  | "DeleteObject"
  | "CreateMultipartUpload"
  | "UploadPart"
  | "CompleteMultipartUpload"
  | "AbortMultipartUpload"
  | "ListParts"
  | "ListMultipartUploads";

const maximumKeyBytes = 1024;

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new S3Error(400, "InvalidURI", "The address is not valid percent-encoded UTF-8.");
  }
}

/** Splits a request's address (path-style: `/bucket/key?…`). */
export function parseTarget(address: string): Target {
  const [path = "", search = ""] = splitOnce(address, "?");
  const [bucket = "", key = ""] = splitOnce(path.slice(1), "/");
  const query = new Map<string, string>();
  for (const pair of search.split("&").filter((one) => one !== "")) {
    const [name = "", value = ""] = splitOnce(pair, "=");
    query.set(decode(name), decode(value));
  }
  const target = { path: decode(path), bucket: decode(bucket), key: decode(key), query };
  if (Buffer.byteLength(target.key) > maximumKeyBytes) {
    throw new S3Error(400, "KeyTooLongError", `The key is longer than ${maximumKeyBytes} bytes.`);
  }
  return target;
}

function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

// Method, target, and the parameters that select the operation.
const operations: Record<string, Operation> = {
  "HEAD bucket": "HeadBucket",
  "GET bucket list-type": "ListObjectsV2",
  "POST bucket delete": "DeleteObjects",
  "GET object": "GetObject",
  "HEAD object": "HeadObject",
  "PUT object": "PutObject",
  "DELETE object": "DeleteObject",
  "POST object uploads": "CreateMultipartUpload",
  "PUT object partNumber uploadId": "UploadPart",
  "POST object uploadId": "CompleteMultipartUpload",
  "DELETE object uploadId": "AbortMultipartUpload",
  "GET object uploadId": "ListParts",
  "GET bucket uploads": "ListMultipartUploads",
};

// Parameters that only refine an operation. Any other one selects it, so that nothing unknown is ignored.
const refining = new Set([
  "x-id",
  "prefix",
  "max-keys",
  "continuation-token",
  "start-after",
  "encoding-type",
  "fetch-owner",
  "max-parts",
  "max-uploads",
  "key-marker",
  "upload-id-marker",
  "part-number-marker",
  "response-content-type",
  "response-content-disposition",
  "response-content-encoding",
  "response-content-language",
  "response-cache-control",
  "response-expires",
]);

const known = new Set([
  ...["algorithm", "credential", "date", "expires", "signature", "signedheaders", "security-token"],
  ...["content-sha256", "decoded-content-length", "trailer", "te", "sdk-checksum-algorithm"],
  ...["checksum-mode", "checksum-algorithm", "checksum-type"],
  ...["checksum-crc32", "checksum-sha1", "checksum-sha256"],
  ...["user-agent", "request-payer", "expected-bucket-owner"],
]);
const isKnownHeader = (name: string) =>
  name.startsWith("x-amz-meta-") || known.has(name.slice("x-amz-".length));
const isRefining = (name: string) => refining.has(name) || name.toLowerCase().startsWith("x-amz-");

/** The one condition on writes: put only where nothing lies. */
const isFirstPut = (operation: Operation, headers: Headers, name: string): boolean =>
  operation === "PutObject" && name === "if-none-match" && headers.get(name) === "*";

/** The operation of a request. Throws NotImplemented with its name when it is none of ours. */
export function recognizeOperation(method: string, target: Target, headers: Headers): Operation {
  const selecting = [...target.query.keys()].filter((name) => !isRefining(name)).sort();
  const kind = target.bucket === "" ? "service" : target.key === "" ? "bucket" : "object";
  const signature = [method, kind, ...selecting].join(" ");
  const operation = operations[signature];
  const isCopy = headers.has("x-amz-copy-source");
  if (operation === undefined || isCopy) {
    const id = isCopy ? "CopyObject or UploadPartCopy" : target.query.get("x-id");
    throw notImplemented(id ?? `the request "${signature}"`);
  }
  const isWrite = !/^(Get|Head|List)/.test(operation);
  for (const name of headers.keys()) {
    const isUnknown = name.startsWith("x-amz-") && !isKnownHeader(name);
    const isCondition = isWrite && name.startsWith("if-") && !isFirstPut(operation, headers, name);
    if (isUnknown || isCondition) {
      throw notImplemented(`the header ${name} of ${operation}`);
    }
  }
  return operation;
}
