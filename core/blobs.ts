import type { S3Client } from "@aws-sdk/client-s3";
import type { Bucket } from "./blobs/bucket.ts";
import { download } from "./blobs/download.ts";
import { listObjects, removeObjects } from "./blobs/listing.ts";
import { presignGet, presignPut, type ServedAs } from "./blobs/presign.ts";
import { streamObject } from "./blobs/stream-object.ts";
import { abortUnfinished } from "./blobs/unfinished.ts";
import { upload, uploadFile } from "./blobs/upload.ts";
import { type AheadUpload, uploadAhead } from "./blobs/upload-ahead.ts";
import type { FairShare } from "./fair-share.ts";
import { lazy, viewed } from "./lazy.ts";
import { type Count, uncounted } from "./meter.ts";

export { BlobMissing } from "./blobs/bucket.ts";
export type { AheadUpload } from "./blobs/upload-ahead.ts";

/**
 * The door to S3: the only code that sees its SDK. Keys are immutable: what is written under a key never changes,
 * and an object counts only once the table names it. Nothing here relies on conditional writes.
 */
export interface Blobs {
  readonly bucket: string;
  put(key: string, bytes: Uint8Array, options?: { contentType?: string }): Promise<void>;
  /** Uploads a local file; in parts when it is large, so memory stays flat. */
  putFile(key: string, path: string): Promise<void>;
  /**
   * Begins to put a file of which all from the second part (16 MB) up to `endOfStable` stays as it is; undefined where
   * that is no whole part. The object is there once it is finished.
   */
  putFileAhead(key: string, path: string, endOfStable: number): AheadUpload | undefined;
  /**
   * Where a client may put an object of this size itself, once (with `If-None-Match: *`); undefined where clients do
   * not reach S3, as on one machine.
   */
  uploadUrl(key: string, sizeBytes: number, expiresSeconds: number): Promise<string | undefined>;
  /** Where a client may read an object itself; undefined as above. */
  downloadUrl(key: string, as: ServedAs, expiresSeconds: number): Promise<string | undefined>;
  /** The whole object; throws BlobMissing when there is none. */
  get(key: string): Promise<Buffer>;
  /** Bytes from `start` up to but without `end`; throws BlobMissing when there is no such object. */
  read(key: string, start: number, end: number): Promise<Buffer>;
  /**
   * Streams the object, or the part from `start` up to but without `end`; goes on where a connection broke. Who reads
   * slowly holds a megabyte of memory meanwhile, and no connection.
   */
  stream(key: string, start?: number, end?: number): AsyncIterable<Uint8Array>;
  /** Removes objects; what is absent is no error. */
  remove(keys: readonly string[]): Promise<void>;
  /** Keys under a prefix, in order. */
  list(prefix: string): AsyncIterable<BlobListing>;
  /** Gives up uploads under a prefix that began before a time and never ended, as AWS does by itself; answers how many. */
  abortUnfinished(prefix: string, before: Date): Promise<number>;
  /** A view of this door whose requests `count` is told of. */
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

/** Opens the door to one bucket. `client` is made on first use, so that routes without objects never load the SDK. */
export function createBlobs(options: {
  bucket: string;
  client: () => Promise<S3Client>;
  /** Clients of the service reach S3, too. */
  isReachable?: boolean;
  /** Counts what lies in memory for slow readers; nothing does when absent. */
  memory?: FairShare | undefined;
  /** Told of every request that goes not through a view; nobody when absent. */
  count?: Count;
}): Blobs {
  const sdk = lazy(async () => ({ client: await options.client(), s3: await import("@aws-sdk/client-s3") }));
  const open = (count: Count): Blobs => ({
    ...doorTo({ name: options.bucket, sdk, count, memory: options.memory }, options.isReachable === true),
    countedBy(other) {
      return { ...open(other), [viewed]: this[viewed] ?? this };
    },
  });
  return open(options.count ?? uncounted);
}

function doorTo(bucket: Bucket, isReachable: boolean): Omit<Blobs, "countedBy"> {
  return {
    bucket: bucket.name,
    put: (key, bytes, { contentType } = {}) => upload(bucket, key, bytes, contentType),
    putFile: (key, path) => uploadFile(bucket, key, path),
    putFileAhead: (key, path, endOfStable) => uploadAhead(bucket, key, path, endOfStable),
    uploadUrl: (key, sizeBytes, expiresSeconds) =>
      isReachable ? presignPut(bucket, key, sizeBytes, expiresSeconds) : noUrl,
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
