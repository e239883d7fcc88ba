import type { S3Client } from "@aws-sdk/client-s3";
import type { Bucket } from "./blobs/bucket.ts";
import { download } from "./blobs/download.ts";
import { listObjects, removeObjects } from "./blobs/listing.ts";
import {
  type CheckedContent,
  presignCheckedPut,
  presignGet,
  presignPut,
  type ServedAs,
  type SignedPut,
} from "./blobs/presign.ts";
import { streamObject } from "./blobs/stream-object.ts";
import { abortUnfinished } from "./blobs/unfinished.ts";
import { upload, uploadFile, uploadStream } from "./blobs/upload.ts";
import { type AheadUpload, uploadAhead } from "./blobs/upload-ahead.ts";
import type { FairShare } from "./capacity/fair-share.ts";
import { lazy, viewed } from "./lazy.ts";
import { type Count, uncounted } from "./meter.ts";

/**
 * The store in S3: the only code that uses its SDK. Keys are immutable: an object under a key never changes, and counts
 * only once the table names it. Nothing here relies on conditional writes.
 */
export interface Blobs {
  readonly bucket: string;
  put(key: string, bytes: Uint8Array, options?: { contentType?: string }): Promise<void>;
  /** Uploads a local file; in parts when it is large, so memory stays flat. */
  putFile(key: string, path: string): Promise<void>;
  /** Uploads bytes as they come; in parts when they are many, so memory stays flat. */
  putStream(key: string, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /**
   * Begins to upload a file whose bytes from the second part (16 MB) up to `endOfStable` won't change; undefined when
   * that is less than one part. The object is there once the upload is finished.
   */
  putFileAhead(key: string, path: string, endOfStable: number): AheadUpload | undefined;
  /**
   * An address where a client may upload an object of this size itself, once (with `If-None-Match: *`); undefined when
   * clients can't reach S3, as on one machine. `again`: without that header and as often as it takes, for objects of
   * which a copy counts.
   */
  uploadUrl(
    key: string,
    sizeBytes: number,
    expiresSeconds: number,
    options?: { readonly again?: boolean },
  ): Promise<string | undefined>;
  /**
   * The same for content whose SHA-256 is known: S3 refuses any other. The client has to send `headers`. S3 takes at most
   * `mostPutBytes` in one request.
   */
  checkedUpload(key: string, content: CheckedContent, expiresSeconds: number): Promise<SignedPut | undefined>;
  /** An address where a client may read an object itself; undefined as above. */
  downloadUrl(key: string, as: ServedAs, expiresSeconds: number): Promise<string | undefined>;
  /** The whole object; throws BlobMissing when there is none. */
  get(key: string): Promise<Buffer>;
  /** Bytes from `start` up to but without `end`; throws BlobMissing when there is no such object. */
  read(key: string, start: number, end: number): Promise<Buffer>;
  /**
   * Streams the object, or its bytes from `start` up to but without `end`, and goes on after a broken connection. A
   * slow reader holds a megabyte of memory, and no connection.
   */
  stream(key: string, start?: number, end?: number): AsyncIterable<Uint8Array>;
  /** Removes objects; absent ones are no error. */
  remove(keys: readonly string[]): Promise<void>;
  /** Keys under a prefix, in order. */
  list(prefix: string): AsyncIterable<BlobListing>;
  /**
   * Aborts uploads under a prefix that began before a time and never ended, as AWS does by itself; answers how many.
   */
  abortUnfinished(prefix: string, before: Date): Promise<number>;
  /** A view of this store that reports each of its requests to `count`. */
  countedBy(count: Count): Blobs;
  readonly [viewed]?: Blobs;
}

/** One object of a listing. */
export interface BlobListing {
  readonly key: string;
  readonly sizeBytes: number;
  readonly modified: Date;
}

const noUrl = Promise.resolve(undefined);

/** Opens the store of one bucket. It makes `client` on first use, so that routes without objects never load the SDK. */
export function createBlobs(options: {
  bucket: string;
  client: () => Promise<S3Client>;
  /** Whether clients of the service reach S3, too. */
  isReachable?: boolean;
  /** Counts the memory that slow readers hold; absent: nothing counts it. */
  memory?: FairShare | undefined;
  /** Called for every request that doesn't go through a view; absent: nothing is called. */
  count?: Count;
}): Blobs {
  const sdk = lazy(async () => ({ client: await options.client(), s3: await import("@aws-sdk/client-s3") }));
  const open = (count: Count): Blobs => ({
    ...storeFor({ name: options.bucket, sdk, count, memory: options.memory }, options.isReachable === true),
    countedBy(other) {
      return { ...open(other), [viewed]: this[viewed] ?? this };
    },
  });
  return open(options.count ?? uncounted);
}

function storeFor(bucket: Bucket, isReachable: boolean): Omit<Blobs, "countedBy"> {
  return {
    bucket: bucket.name,
    put: (key, bytes, { contentType } = {}) => upload(bucket, key, bytes, contentType),
    putFile: (key, path) => uploadFile(bucket, key, path),
    putStream: (key, bytes) => uploadStream(bucket, key, bytes),
    putFileAhead: (key, path, endOfStable) => uploadAhead(bucket, key, path, endOfStable),
    uploadUrl: (key, sizeBytes, expiresSeconds, { again = false } = {}) =>
      isReachable ? presignPut(bucket, key, { sizeBytes, again }, expiresSeconds) : noUrl,
    checkedUpload: (key, content, expiresSeconds) =>
      isReachable ? presignCheckedPut(bucket, key, content, expiresSeconds) : noUrl,
    downloadUrl: (key, as, expiresSeconds) =>
      isReachable ? presignGet(bucket, key, as, expiresSeconds) : noUrl,
    get: (key) => download(bucket, key),
    read: (key, start, end) => download(bucket, key, start, end),
    stream: (key, start, end) => streamObject(bucket, key, start, end),
    remove: (keys) => removeObjects(bucket, keys),
    list: (prefix) => listObjects(bucket, prefix),
    abortUnfinished: (prefix, before) => abortUnfinished(bucket, prefix, before),
  };
}
