import { type FileHandle, open, readFile, stat } from "node:fs/promises";
import { defined } from "../defined.ts";
import type { Bucket } from "./bucket.ts";
import { MultipartUpload, partBytes, rethrow } from "./multipart.ts";
import { readFully } from "./read-fully.ts";

/** Uploads an object from memory. A full disk under the service is a refusal of its own. */
export async function upload(
  { name, sdk, count }: Bucket,
  key: string,
  bytes: Uint8Array,
  contentType?: string,
): Promise<void> {
  const { client, s3 } = await sdk();
  const type = defined({ ContentType: contentType });
  count("s3:PutObject", { blobWrites: 1, blobBytesWritten: bytes.byteLength });
  await client.send(new s3.PutObjectCommand({ Bucket: name, Key: key, Body: bytes, ...type })).catch(rethrow);
}

/** Uploads a file: at once, or in parts of 16 MB, so that a part can be sent again and memory stays flat. */
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

/** Uploads bytes as they come: at once when they are few, or in parts, of which one at a time is in memory. */
export async function uploadStream(
  bucket: Bucket,
  key: string,
  bytes: AsyncIterable<Uint8Array>,
): Promise<void> {
  const parts = partsOfStream(bytes);
  const first = await parts.next();
  const begin = first.done === true ? Buffer.alloc(0) : first.value;
  if (begin.length < partBytes) return upload(bucket, key, begin);
  await uploadInParts(
    bucket,
    key,
    (async function* () {
      yield begin;
      yield* parts;
    })(),
  );
}

async function* partsOfStream(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void> {
  const room = Buffer.allocUnsafeSlow(partBytes);
  let held = 0;
  for await (const chunk of bytes) {
    for (let at = 0; at < chunk.length; ) {
      const taken = Math.min(chunk.length - at, partBytes - held);
      room.set(chunk.subarray(at, at + taken), held);
      held += taken;
      at += taken;
      if (held < partBytes) continue;
      yield room;
      held = 0;
    }
  }
  if (held > 0) yield room.subarray(0, held);
}

/** One buffer serves all parts: each is sent before the next one is asked for. */
async function* partsOfFile(file: FileHandle, size: number): AsyncGenerator<Buffer, void> {
  const room = Buffer.allocUnsafeSlow(partBytes);
  for (let start = 0; start < size; start += partBytes) {
    const part = room.subarray(0, Math.min(partBytes, size - start));
    await readFully(file, start, part);
    yield part;
  }
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
