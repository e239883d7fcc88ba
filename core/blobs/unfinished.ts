import type { ListMultipartUploadsCommandOutput } from "@aws-sdk/client-s3";
import type { Bucket } from "./bucket.ts";

interface Started {
  readonly Key?: string | undefined;
  readonly UploadId?: string | undefined;
  readonly Initiated?: Date | undefined;
}

/** Aborts uploads in parts that began before a time and were never completed; answers how many. */
export async function abortUnfinished(bucket: Bucket, prefix: string, before: Date): Promise<number> {
  const { client, s3 } = await bucket.sdk();
  let aborted = 0;
  for await (const { Key, UploadId, Initiated } of listUnfinished(bucket, prefix)) {
    if (Initiated === undefined || Initiated >= before) continue;
    bucket.count("s3:AbortMultipartUpload", { blobWrites: 1 });
    try {
      await client.send(new s3.AbortMultipartUploadCommand({ Bucket: bucket.name, Key, UploadId }));
      aborted += 1;
    } catch (error) {
      if ((error as Error).name !== "NoSuchUpload") throw error; // it has ended meanwhile
    }
  }
  return aborted;
}

async function* listUnfinished({ name, sdk, count }: Bucket, prefix: string): AsyncIterable<Started> {
  const { client, s3 } = await sdk();
  let next: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } | undefined = {};
  while (next !== undefined) {
    count("s3:ListMultipartUploads", { blobReads: 1 });
    const command = new s3.ListMultipartUploadsCommand({ Bucket: name, Prefix: prefix, ...next });
    const page: ListMultipartUploadsCommandOutput = await client.send(command);
    yield* page.Uploads ?? [];
    const { NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page;
    next = page.IsTruncated === true ? { KeyMarker, UploadIdMarker } : undefined;
  }
}
