import type { BlobListing } from "../blobs.ts";
import type { Bucket } from "./bucket.ts";

const removeBatch = 1000;

/** Keys under a prefix, in order, as many requests as it takes. */
export async function* listObjects({ name, sdk, count }: Bucket, prefix: string): AsyncIterable<BlobListing> {
  const { client, s3 } = await sdk();
  let token: string | undefined;
  do {
    const next = token === undefined ? {} : { ContinuationToken: token };
    count("s3:ListObjectsV2", { blobReads: 1 });
    const page = await client.send(new s3.ListObjectsV2Command({ Bucket: name, Prefix: prefix, ...next }));
    for (const one of page.Contents ?? []) {
      yield { key: one.Key ?? "", sizeBytes: one.Size ?? 0, modified: one.LastModified ?? new Date(0) };
    }
    token = page.NextContinuationToken;
  } while (token !== undefined);
}

/**
 * Removes objects, 1,000 a request; what is absent is no error. Under MD5 the SDK sends `Content-MD5`, without which
 * OpenStack Swift and MinIO refuse a batch.
 */
export async function removeObjects({ name, sdk, count }: Bucket, keys: readonly string[]): Promise<void> {
  const { client, s3 } = await sdk();
  for (let at = 0; at < keys.length; at += removeBatch) {
    const Objects = keys.slice(at, at + removeBatch).map((Key) => ({ Key }));
    count("s3:DeleteObjects", { blobWrites: 1 });
    const batch = { Bucket: name, Delete: { Objects, Quiet: true }, ChecksumAlgorithm: "MD5" } as const;
    const answer = await client.send(new s3.DeleteObjectsCommand(batch));
    const [failed] = answer.Errors ?? [];
    if (failed !== undefined) throw new Error(`could not remove ${failed.Key}: ${failed.Message}`);
  }
}
