import { createHash } from "node:crypto";
import type { BlobListing } from "../blobs.ts";
import { defined } from "../defined.ts";
import type { Bucket } from "./bucket.ts";

const removeBatch = 1000;

/** Keys under a prefix, in order, with as many requests as it takes. */
export async function* listObjects({ name, sdk, count }: Bucket, prefix: string): AsyncIterable<BlobListing> {
  const { client, s3 } = await sdk();
  let token: string | undefined;
  do {
    const next = defined({ ContinuationToken: token });
    count("s3:ListObjectsV2", { blobReads: 1 });
    const page = await client.send(new s3.ListObjectsV2Command({ Bucket: name, Prefix: prefix, ...next }));
    for (const one of page.Contents ?? []) {
      yield { key: one.Key ?? "", sizeBytes: one.Size ?? 0, modified: one.LastModified ?? new Date(0) };
    }
    token = page.NextContinuationToken;
  } while (token !== undefined);
}

/** Removes objects, 1,000 a request; absent ones are no error. */
export async function removeObjects({ name, sdk, count }: Bucket, keys: readonly string[]): Promise<void> {
  const { client, s3 } = await sdk();
  for (let at = 0; at < keys.length; at += removeBatch) {
    const Objects = keys.slice(at, at + removeBatch).map((Key) => ({ Key }));
    const command = new s3.DeleteObjectsCommand({ Bucket: name, Delete: { Objects, Quiet: true } });
    command.middlewareStack.add(withContentMd5 as never, { step: "build", name: "contentMd5" });
    count("s3:DeleteObjects", { blobWrites: 1 });
    const answer = await client.send(command);
    const [failed] = answer.Errors ?? [];
    if (failed !== undefined) throw new Error(`could not remove ${failed.Key}: ${failed.Message}`);
  }
}

interface Built {
  readonly request: { readonly headers: Record<string, string>; readonly body: string };
}

/**
 * OpenStack Swift and MinIO refuse a batch without `Content-MD5`. It goes beside the SDK's own checksum: with
 * `ChecksumAlgorithm: "MD5"` the SDK announces one that S3 does not find.
 */
const withContentMd5 = (next: (args: Built) => Promise<object>) => (args: Built) => {
  const { headers, body } = args.request;
  headers["content-md5"] = createHash("md5").update(body).digest("base64");
  return next(args);
};
