import type { Readable } from "node:stream";
import { BlobMissing, type Bucket } from "./bucket.ts";

/** How often a download goes on after its connection broke without having brought anything. */
const mostBreaks = 3;
const brokenCodes = new Set(["ECONNRESET", "EPIPE", "ETIMEDOUT", "ERR_STREAM_PREMATURE_CLOSE"]);

/** An object, or its bytes from `start` up to but without `end`, in memory. Throws BlobMissing. */
export async function download(bucket: Bucket, key: string, start = 0, end?: number): Promise<Buffer> {
  if (end !== undefined) return downloadRange(bucket, key, start, end);
  const parts: Uint8Array[] = [];
  for await (const chunk of streamObject(bucket, key, start)) parts.push(chunk);
  return Buffer.concat(parts);
}

/** Each chunk goes to its place as it comes: to keep them all until they are put together takes twice the memory. */
async function downloadRange(bucket: Bucket, key: string, start: number, end: number): Promise<Buffer> {
  const room = Buffer.allocUnsafeSlow(Math.max(0, end - start));
  let filled = 0;
  for await (const chunk of streamObject(bucket, key, start, end)) {
    room.set(chunk, filled);
    filled += chunk.byteLength;
  }
  return room.subarray(0, filled);
}

/** The same as it comes. What is written under a key never changes, so a broken download goes on where it was. */
export async function* streamObject(
  bucket: Bucket,
  key: string,
  start = 0,
  end?: number,
): AsyncIterable<Uint8Array> {
  if (end !== undefined && end <= start) return;
  let at = start;
  for (let breaks = 0; ; ) {
    try {
      for await (const chunk of await open(bucket, key, at, end)) {
        bucket.count("s3:bytes", { blobBytesRead: chunk.byteLength });
        at += chunk.byteLength;
        breaks = 0;
        yield chunk;
      }
      return;
    } catch (error) {
      // The connection broke right behind the last byte: there is nothing to go on with.
      if (at === end || (at > start && (error as Error).name === "InvalidRange")) return;
      breaks += 1;
      if (breaks > mostBreaks || !brokenCodes.has((error as { code?: string }).code ?? "")) throw error;
    }
  }
}

async function open({ name, sdk, count }: Bucket, key: string, start: number, end?: number) {
  const { client, s3 } = await sdk();
  const isWhole = start === 0 && end === undefined;
  const range = isWhole ? {} : { Range: `bytes=${start}-${end === undefined ? "" : end - 1}` };
  count("s3:GetObject", { blobReads: 1 });
  try {
    const answer = await client.send(new s3.GetObjectCommand({ Bucket: name, Key: key, ...range }));
    return answer.Body as Readable as AsyncIterable<Uint8Array>;
  } catch (error) {
    if ((error as Error).name === "NoSuchKey") throw new BlobMissing(key, { cause: error });
    throw error;
  }
}
