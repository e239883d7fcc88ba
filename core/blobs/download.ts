import type { Bucket } from "./bucket.ts";
import { received } from "./internal/received.ts";

/** An object, or its bytes from `start` up to but without `end`, in memory. Throws BlobMissing. */
export async function download(bucket: Bucket, key: string, start = 0, end?: number): Promise<Buffer> {
  if (end !== undefined) return downloadRange(bucket, key, start, end);
  const parts: Uint8Array[] = [];
  for await (const chunk of received(bucket, { key, at: start, end })) parts.push(chunk);
  return Buffer.concat(parts);
}

/** Each chunk goes to its place as it comes: keeping them all first would take twice the memory. */
async function downloadRange(bucket: Bucket, key: string, start: number, end: number): Promise<Buffer> {
  const room = Buffer.allocUnsafeSlow(Math.max(0, end - start));
  if (room.length === 0) return room;
  let filled = 0;
  for await (const chunk of received(bucket, { key, at: start, end })) {
    room.set(chunk, filled);
    filled += chunk.byteLength;
  }
  return room.subarray(0, filled);
}
