import type { Bucket } from "./bucket.ts";

interface SignableRequest {
  readonly method: string;
  readonly protocol: string;
  readonly hostname: string;
  readonly path: string;
  readonly query: Record<string, string>;
  readonly headers: Record<string, string>;
}

/** The SDK's own signer, as far as this code uses it. */
interface Presigner {
  presign(
    request: SignableRequest,
    options: { expiresIn: number; unhoistableHeaders: Set<string> },
  ): Promise<SignableRequest>;
}

/**
 * An address under which anybody may upload one object of this size until it expires. S3 takes no second one, unless
 * `again` allows it: the header `If-None-Match: *` is signed, and must be sent.
 */
export const presignPut = (
  bucket: Bucket,
  key: string,
  { sizeBytes, again }: { readonly sizeBytes: number; readonly again: boolean },
  expiresSeconds: number,
): Promise<string> =>
  presign(bucket, "PUT", key, {
    expiresSeconds,
    headers: { "content-length": String(sizeBytes), ...(!again && { "if-none-match": "*" }) },
  });

/** S3 takes no more in one request. */
export const mostPutBytes = 5 * 2 ** 30;

/** What an object is to hold: its length, and its SHA-256 in hex. */
export interface CheckedContent {
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** An address to put an object to, and the headers that are signed with it, beside its length. */
export interface SignedPut {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * An address under which anybody may upload this content until it expires, and again: S3 compares the checksum, so the
 * bytes under the key never change.
 */
export async function presignCheckedPut(
  bucket: Bucket,
  key: string,
  { sizeBytes, sha256 }: CheckedContent,
  expiresSeconds: number,
): Promise<SignedPut> {
  const headers = { "x-amz-checksum-sha256": Buffer.from(sha256, "hex").toString("base64") };
  const signed = { ...headers, "content-length": String(sizeBytes) };
  return { url: await presign(bucket, "PUT", key, { expiresSeconds, headers: signed }), headers };
}

/** The headers with which S3 answers a read by address. */
export interface ServedAs {
  readonly contentType: string;
  readonly contentDisposition: string;
}

/** An address under which anybody may read an object until it expires. */
export const presignGet = (
  bucket: Bucket,
  key: string,
  { contentType, contentDisposition }: ServedAs,
  expiresSeconds: number,
): Promise<string> =>
  presign(bucket, "GET", key, {
    expiresSeconds,
    query: {
      "response-content-type": contentType,
      "response-content-disposition": contentDisposition,
    },
  });

interface PresignOptions {
  readonly expiresSeconds: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
}

/** As the signature needs it: RFC 3986, which escapes more than the platform's own function. */
const escaped = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);

async function presign(
  { name, sdk }: Bucket,
  method: "GET" | "PUT",
  key: string,
  { expiresSeconds, headers = {}, query = {} }: PresignOptions,
): Promise<string> {
  const { client } = await sdk();
  const region = await client.config.region();
  const hostname = `${name}.s3.${region}.amazonaws.com`;
  const scheme = { name: "sigv4", signingName: "s3", signingRegion: region, properties: {} };
  const signer = (await client.config.signer(scheme)) as unknown as Presigner;
  const path = `/${key.split("/").map(encodeURIComponent).join("/")}`;
  const request: SignableRequest = {
    ...{ method, hostname, path, query: { ...query }, protocol: "https:" },
    headers: { host: hostname, "x-amz-content-sha256": "UNSIGNED-PAYLOAD", ...headers },
  };
  const signed = await signer.presign(request, {
    expiresIn: expiresSeconds,
    unhoistableHeaders: new Set(Object.keys(headers)),
  });
  const pairs = Object.entries(signed.query).map((pair) => pair.map(escaped).join("="));
  return `https://${hostname}${path}?${pairs.join("&")}`;
}
