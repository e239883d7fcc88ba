import { createHash, type Hash } from "node:crypto";
import { crc32 } from "node:zlib";
import { decodeAwsChunked, incompleteBody } from "./aws-chunked.ts";
import { notImplemented, S3Error } from "./error.ts";

/** A request's headers (and `x-amz-*` parameters), by name in lower case. */
export type Headers = ReadonlyMap<string, string>;

/** The facts about bytes that have been received or copied. */
export interface Digest {
  sizeBytes: number;
  md5: Buffer;
  /** Four bytes, big-endian. */
  crc32: Buffer;
}

/** A body that is read once. `digest` holds when `chunks` has been read to its end, which checks everything. */
export interface ReceivedBody {
  chunks: AsyncIterable<Buffer>;
  digest(): Digest;
}

const maximumBytes = 5 * 1024 ** 3;

/**
 * Takes a PutObject's or UploadPart's body: decodes `aws-chunked`, and checks the length, `Content-MD5`,
 * `x-amz-content-sha256` and the `x-amz-checksum-*` of headers and trailer. Throws S3Error (400, 411, 501), mostly
 * while it is read.
 */
export function receiveBody(source: AsyncIterable<Buffer>, headers: Headers): ReceivedBody {
  requireAnnounced(headers);
  const isChunked = headers.get("content-encoding")?.split(",")[0]?.trim() === "aws-chunked";
  const sizeBytes = declaredSize(headers.get(isChunked ? "x-amz-decoded-content-length" : "content-length"));
  const trailers = new Map<string, string>();
  const running = startDigests(headers);
  let digest: Digest | undefined;
  async function* read(): AsyncGenerator<Buffer> {
    let received = 0;
    for await (const chunk of isChunked ? decodeAwsChunked(source, trailers) : source) {
      received += chunk.length;
      if (received > sizeBytes) throw incompleteBody("The body is longer than it was said to be.");
      running.update(chunk);
      yield chunk;
    }
    if (received !== sizeBytes) throw incompleteBody("The body is shorter than it was said to be.");
    const digests = running.finish();
    verifyDigests(new Map([...headers, ...trailers]), digests);
    digest = { sizeBytes, ...digests };
  }
  return {
    chunks: read(),
    digest() {
      if (digest === undefined) throw new Error("the body has not been read to its end");
      return digest;
    },
  };
}

/** S3 refuses a request whose `x-amz-sdk-checksum-algorithm` announces a checksum that no other header has or promises. */
function requireAnnounced(headers: Headers): void {
  const announces = headers.has("x-amz-sdk-checksum-algorithm");
  const isThere = [...headers.keys()].some((name) => /^x-amz-(checksum-.*|trailer)$/.test(name));
  if (!announces || isThere) return;
  const message =
    "x-amz-sdk-checksum-algorithm specified, but no corresponding x-amz-checksum-* or x-amz-trailer headers were found.";
  throw new S3Error(400, "InvalidRequest", message);
}

function declaredSize(declared: string | undefined): number {
  if (declared === undefined) {
    throw new S3Error(411, "MissingContentLength", "You must provide the Content-Length HTTP header.");
  }
  const sizeBytes = Number(declared);
  if (!Number.isSafeInteger(sizeBytes) || sizeBytes < 0)
    throw incompleteBody("The declared length is not valid.");
  if (sizeBytes <= maximumBytes) return sizeBytes;
  throw new S3Error(400, "EntityTooLarge", "A single upload is at most 5 GiB; use a multipart upload.");
}

interface Digests {
  crc32: Buffer;
  md5: Buffer;
  sha1?: Buffer;
  sha256?: Buffer;
}

/** Four bytes of a CRC-32, big-endian. */
export function bigEndian(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
}

const isHash = (text: string) => /^[0-9a-f]{64}$/.test(text);

function startDigests(headers: Headers): { update(chunk: Buffer): void; finish(): Digests } {
  const trailer = headers.get("x-amz-trailer") ?? "";
  const payload = headers.get("x-amz-content-sha256") ?? "";
  const unknown = /x-amz-checksum-(?!crc32$|sha1$|sha256$)\S+/.exec(trailer);
  if (unknown) throw notImplemented(`the trailer ${unknown[0]}`);
  if (payload.startsWith("STREAMING-AWS4")) throw notImplemented(`the payload signature ${payload}`);
  const wants = (name: string) => trailer === name || headers.has(name);
  const start = (algorithm: string, isWanted: boolean): Hash | undefined =>
    isWanted ? createHash(algorithm) : undefined;
  const md5 = createHash("md5");
  const sha1 = start("sha1", wants("x-amz-checksum-sha1"));
  const sha256 = start("sha256", wants("x-amz-checksum-sha256") || isHash(payload));
  let checksum = 0;
  return {
    update(chunk) {
      checksum = crc32(chunk, checksum);
      for (const hash of [md5, sha1, sha256]) hash?.update(chunk);
    },
    finish: () => ({
      crc32: bigEndian(checksum),
      md5: md5.digest(),
      ...(sha1 && { sha1: sha1.digest() }),
      ...(sha256 && { sha256: sha256.digest() }),
    }),
  };
}

function verifyDigests(headers: Headers, digests: Digests): void {
  const payload = headers.get("x-amz-content-sha256") ?? "";
  if (isHash(payload) && digests.sha256?.toString("hex") !== payload) {
    throw new S3Error(
      400,
      "XAmzContentSHA256Mismatch",
      "The body does not have the x-amz-content-sha256 given.",
    );
  }
  const given: [string, Buffer | undefined][] = [
    ["content-md5", digests.md5],
    ["x-amz-checksum-crc32", digests.crc32],
    ["x-amz-checksum-sha1", digests.sha1],
    ["x-amz-checksum-sha256", digests.sha256],
  ];
  for (const [name, digest] of given) {
    const value = headers.get(name);
    if (value !== undefined && value !== digest?.toString("base64")) {
      throw new S3Error(400, "BadDigest", `The body does not have the ${name} given.`);
    }
  }
}
