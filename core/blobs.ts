import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import type { Readable } from "node:stream";
import type { S3Client } from "@aws-sdk/client-s3";
import { count } from "./meter.ts";

/**
 * The door to S3: the only code that sees its SDK. Keys are immutable: what is written under a key never changes,
 * and an object counts only once the table names it. Nothing here relies on conditional writes.
 */
export interface Blobs {
  readonly bucket: string;
  put(key: string, bytes: Uint8Array, options?: { contentType?: string }): Promise<void>;
  /** Uploads a local file; in parts when it is large, so memory stays flat. */
  putFile(key: string, path: string): Promise<void>;
  /** The whole object; throws BlobMissing when there is none. */
  get(key: string): Promise<Buffer>;
  /** Bytes from `start` up to but without `end`; throws BlobMissing when there is no such object. */
  read(key: string, start: number, end: number): Promise<Buffer>;
  /** Streams the object, or the part from `start` up to but without `end`. */
  stream(key: string, start?: number, end?: number): AsyncIterable<Uint8Array>;
  /** Removes objects; what is absent is no error. */
  remove(keys: readonly string[]): Promise<void>;
  /** Keys under a prefix, in order. */
  list(prefix: string): AsyncIterable<{ key: string; sizeBytes: number; modified: Date }>;
}

/** The table named an object that the bucket does not hold. */
export class BlobMissing extends Error {
  readonly key: string;
  constructor(key: string, options?: ErrorOptions) {
    super(`no object under ${key}`, options);
    this.name = "BlobMissing";
    this.key = key;
  }
}

const partBytes = 16 * 1024 * 1024;
const removeBatch = 1000;

/** Opens the door to one bucket. `client` is made on first use, so that routes without objects never load the SDK. */
export function createBlobs(options: { bucket: string; client: () => Promise<S3Client> }): Blobs {
  const { bucket } = options;
  const sdk = lazy(async () => ({ client: await options.client(), s3: await import("@aws-sdk/client-s3") }));

  async function body(key: string, range?: string): Promise<Readable> {
    const { client, s3 } = await sdk();
    count("s3:GetObject", { blobReads: 1 });
    try {
      const answer = await client.send(
        new s3.GetObjectCommand({
          Bucket: bucket,
          Key: key,
          ...(range === undefined ? {} : { Range: range }),
        }),
      );
      return answer.Body as Readable;
    } catch (error) {
      if ((error as Error).name === "NoSuchKey") throw new BlobMissing(key, { cause: error });
      throw error;
    }
  }

  async function* stream(key: string, start = 0, end?: number): AsyncIterable<Uint8Array> {
    if (end !== undefined && end <= start) return;
    const whole = start === 0 && end === undefined;
    const source = await body(key, whole ? undefined : `bytes=${start}-${end === undefined ? "" : end - 1}`);
    for await (const chunk of source as AsyncIterable<Uint8Array>) {
      count("s3:bytes", { blobBytesRead: chunk.byteLength });
      yield chunk;
    }
  }

  async function collected(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
    const parts: Uint8Array[] = [];
    for await (const chunk of chunks) parts.push(chunk);
    return Buffer.concat(parts);
  }

  async function put(key: string, bytes: Uint8Array, { contentType }: { contentType?: string } = {}) {
    const { client, s3 } = await sdk();
    count("s3:PutObject", { blobWrites: 1, blobBytesWritten: bytes.byteLength });
    const type = contentType === undefined ? {} : { ContentType: contentType };
    await client.send(new s3.PutObjectCommand({ Bucket: bucket, Key: key, Body: bytes, ...type }));
  }

  async function putFile(key: string, path: string) {
    const { size } = await stat(path);
    if (size > partBytes) return putParts(key, path, size);
    const { client, s3 } = await sdk();
    count("s3:PutObject", { blobWrites: 1, blobBytesWritten: size });
    const file = createReadStream(path);
    await client.send(new s3.PutObjectCommand({ Bucket: bucket, Key: key, Body: file, ContentLength: size }));
  }

  async function putParts(key: string, path: string, size: number) {
    const { client, s3 } = await sdk();
    const target = { Bucket: bucket, Key: key };
    count("s3:CreateMultipartUpload", { blobWrites: 1 });
    const { UploadId } = await client.send(new s3.CreateMultipartUploadCommand(target));
    const upload = { ...target, UploadId };
    const file = await open(path);
    try {
      const parts: { ETag: string | undefined; PartNumber: number }[] = [];
      for (let start = 0; start < size; start += partBytes) {
        const bytes = Buffer.alloc(Math.min(partBytes, size - start));
        await file.read(bytes, 0, bytes.length, start);
        const number = parts.length + 1;
        count("s3:UploadPart", { blobWrites: 1, blobBytesWritten: bytes.length });
        const part = await client.send(
          new s3.UploadPartCommand({ ...upload, PartNumber: number, Body: bytes }),
        );
        parts.push({ ETag: part.ETag, PartNumber: number });
      }
      count("s3:CompleteMultipartUpload", { blobWrites: 1 });
      await client.send(
        new s3.CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: parts } }),
      );
    } catch (error) {
      await client.send(new s3.AbortMultipartUploadCommand(upload)).catch((cause: unknown) => {
        throw new AggregateError([error, cause], "the upload failed and its parts could not be removed");
      });
      throw error;
    } finally {
      await file.close();
    }
  }

  async function remove(keys: readonly string[]) {
    const { client, s3 } = await sdk();
    for (let at = 0; at < keys.length; at += removeBatch) {
      const objects = keys.slice(at, at + removeBatch).map((Key) => ({ Key }));
      count("s3:DeleteObjects", { blobWrites: 1 });
      const answer = await client.send(
        new s3.DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: objects, Quiet: true } }),
      );
      const [failed] = answer.Errors ?? [];
      if (failed !== undefined) throw new Error(`could not remove ${failed.Key}: ${failed.Message}`);
    }
  }

  async function* list(prefix: string) {
    const { client, s3 } = await sdk();
    let token: string | undefined;
    do {
      count("s3:ListObjectsV2", { blobReads: 1 });
      const page = await client.send(
        new s3.ListObjectsV2Command({
          Bucket: bucket,
          Prefix: prefix,
          ...(token === undefined ? {} : { ContinuationToken: token }),
        }),
      );
      for (const one of page.Contents ?? []) {
        yield { key: one.Key ?? "", sizeBytes: one.Size ?? 0, modified: one.LastModified ?? new Date(0) };
      }
      token = page.NextContinuationToken;
    } while (token !== undefined);
  }

  return {
    bucket,
    put,
    putFile,
    get: (key) => collected(stream(key)),
    read: (key, start, end) => collected(stream(key, start, end)),
    stream,
    remove,
    list,
  };
}

/** Makes a value on first use and keeps it; a failure is not kept. */
export function lazy<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
