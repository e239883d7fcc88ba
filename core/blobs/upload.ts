import { type FileHandle, open, readFile, stat } from "node:fs/promises";
import type { Bucket } from "./bucket.ts";
import { MultipartUpload, partBytes, rethrow } from "./multipart.ts";
import { readFully } from "./read-fully.ts";

/** Puts an object from memory. A full disk under the service is a refusal of its own. */
export async function upload(
  { name, sdk, count }: Bucket,
  key: string,
  bytes: Uint8Array,
  contentType?: string,
): Promise<void> {
  const { client, s3 } = await sdk();
  const type = contentType === undefined ? {} : { ContentType: contentType };
  count("s3:PutObject", { blobWrites: 1, blobBytesWritten: bytes.byteLength });
  await client.send(new s3.PutObjectCommand({ Bucket: name, Key: key, Body: bytes, ...type })).catch(rethrow);
}

/** Puts a file: at once, or in parts of 16 MB, so that a part can be sent again and memory stays flat. */
export async function uploadFile(bucket: Bucket, key: string, path: string): Promise<void> {
  const { size } = await stat(path);
  if (size <= partBytes) return upload(bucket, key, await readFile(path));
  const file = await open(path);
  try {
    await uploadInParts(bucket, key, partsOfFile(file, size));
  } finally {
    await file.close();
  }
}

/** One buffer for all parts: each is sent before the next one is asked for. */
async function* partsOfFile(file: FileHandle, size: number): AsyncGenerator<Buffer, void> {
  const room = Buffer.allocUnsafeSlow(partBytes);
  for (let start = 0; start < size; start += partBytes) {
    const part = room.subarray(0, Math.min(partBytes, size - start));
    await readFully(file, start, part);
    yield part;
  }
}

/** Puts what comes, as `uploadFile`. */
export async function uploadStream(
  bucket: Bucket,
  key: string,
  source: AsyncIterable<Uint8Array>,
): Promise<void> {
  const parts = partsOf(source);
  const first = await parts.next();
  if (first.done) return upload(bucket, key, Buffer.alloc(0));
  if (first.value.length < partBytes) {
    const rest = await parts.next();
    if (rest.done) return upload(bucket, key, first.value);
  }
  async function* all() {
    yield first.value as Buffer;
    yield* parts;
  }
  await uploadInParts(bucket, key, all());
}

/** What comes, in parts of 16 MB; the last one may be smaller. */
async function* partsOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void> {
  let pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of source) {
    pieces.push(piece);
    length += piece.byteLength;
    if (length < partBytes) continue;
    const all = Buffer.concat(pieces, length);
    let start = 0;
    for (; length - start >= partBytes; start += partBytes) yield all.subarray(start, start + partBytes);
    pieces = [all.subarray(start)];
    length -= start;
  }
  if (length > 0) yield Buffer.concat(pieces, length);
}

async function uploadInParts(bucket: Bucket, key: string, parts: AsyncIterable<Buffer>): Promise<void> {
  const upload = new MultipartUpload(bucket, key);
  await upload.start();
  await upload.finish(async () => {
    let number = 0;
    for await (const bytes of parts) {
      number += 1;
      await upload.put(number, bytes);
    }
  });
}
