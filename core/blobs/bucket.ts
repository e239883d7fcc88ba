import type { S3Client } from "@aws-sdk/client-s3";
import type { FairShare } from "../capacity/fair-share.ts";
import type { Count } from "../meter.ts";

/** A bucket, and the SDK that is loaded when it is first needed. */
export interface Bucket {
  readonly name: string;
  readonly sdk: () => Promise<{ client: S3Client; s3: typeof import("@aws-sdk/client-s3") }>;
  /** Counts the memory that slow readers hold; absent: nothing counts it. */
  readonly memory?: FairShare | undefined;
  /** Called for every request. */
  readonly count: Count;
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
