import type { Readable } from "node:stream";
import { BlobMissing, type Bucket } from "../bucket.ts";

/** The rest of an object, or of a part of it, that is still to come. */
export interface Rest {
  readonly key: string;
  /** Where the next byte lies. */
  at: number;
  /** Behind the last byte; that of the whole object becomes known with its first answer. */
  end: number | undefined;
}

/** How often a download goes on after its connection broke without bringing anything. */
const mostBreaks = 3;
const brokenCodes = new Set(["ECONNRESET", "EPIPE", "ETIMEDOUT", "ERR_STREAM_PREMATURE_CLOSE"]);

/**
 * The bytes as they come, by one request. An object never changes, so a broken or silent connection goes on from where
 * it was. The request is held until the last byte, or until the caller leaves. Throws BlobMissing.
 */
export async function* received(bucket: Bucket, rest: Rest): AsyncGenerator<Uint8Array, void> {
  const start = rest.at;
  for (let breaks = 0; ; ) {
    let hasBegun = false;
    try {
      const body = await open(bucket, rest);
      hasBegun = true;
      for await (const chunk of body) {
        bucket.count("s3:bytes", { blobBytesRead: chunk.byteLength });
        rest.at += chunk.byteLength;
        breaks = 0;
        yield chunk;
      }
      return;
    } catch (error) {
      // The connection broke right behind the last byte: nothing is left to read.
      if (rest.at > start && (error as Error).name === "InvalidRange") return;
      if (!isBroken(error, hasBegun)) throw error;
      if (rest.at === rest.end) return;
      breaks += 1;
      if (breaks > mostBreaks) throw error;
    }
  }
}

/** The SDK already tried again when a connection couldn't be made in time; not so when one fell silent. */
const isBroken = (error: unknown, hasBegun: boolean): boolean =>
  brokenCodes.has((error as { code?: string }).code ?? "") ||
  (hasBegun && (error as Error).name === "TimeoutError");

async function open({ name, sdk, count }: Bucket, rest: Rest) {
  const { client, s3 } = await sdk();
  const { key, at, end } = rest;
  const isWhole = at === 0 && end === undefined;
  const range = isWhole ? {} : { Range: `bytes=${at}-${end === undefined ? "" : end - 1}` };
  count("s3:GetObject", { blobReads: 1 });
  try {
    const command = new s3.GetObjectCommand({ Bucket: name, Key: key, ...range });
    const { Body, ContentLength } = await client.send(command);
    if (ContentLength !== undefined) rest.end ??= at + ContentLength;
    return Body as Readable as AsyncIterable<Uint8Array>;
  } catch (error) {
    if ((error as Error).name === "NoSuchKey") throw new BlobMissing(key, { cause: error });
    throw error;
  }
}
