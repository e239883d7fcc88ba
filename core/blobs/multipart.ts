import { asStorageFull } from "../capacity/storage-full.ts";
import type { Bucket } from "./bucket.ts";

/** All parts but the last one have so many bytes. */
export const partBytes = 16 * 1024 * 1024;

/** A full disk under the service is a refusal of its own. */
export function rethrow(error: unknown): never {
  throw asStorageFull(error) ?? error;
}

/** An upload in parts, of which nothing shows before it is complete. */
export class MultipartUpload {
  readonly #bucket: Bucket;
  readonly #target: { readonly Bucket: string; readonly Key: string };
  readonly #parts: { readonly ETag: string | undefined; readonly PartNumber: number }[] = [];
  #id: string | undefined;

  constructor(bucket: Bucket, key: string) {
    this.#bucket = bucket;
    this.#target = { Bucket: bucket.name, Key: key };
  }

  get #started() {
    return { ...this.#target, UploadId: this.#id };
  }

  async start(): Promise<void> {
    const { client, s3 } = await this.#bucket.sdk();
    this.#bucket.count("s3:CreateMultipartUpload", { blobWrites: 1 });
    this.#id = (await client.send(new s3.CreateMultipartUploadCommand(this.#target))).UploadId;
  }

  /** Puts the part with this number, from 1; in any order, one at a time. */
  async put(PartNumber: number, bytes: Uint8Array): Promise<void> {
    const { client, s3 } = await this.#bucket.sdk();
    this.#bucket.count("s3:UploadPart", { blobWrites: 1, blobBytesWritten: bytes.length });
    const part = { ...this.#started, PartNumber, Body: bytes };
    const { ETag } = await client.send(new s3.UploadPartCommand(part));
    this.#parts.push({ ETag, PartNumber });
  }

  async complete(): Promise<void> {
    const { client, s3 } = await this.#bucket.sdk();
    this.#bucket.count("s3:CompleteMultipartUpload", { blobWrites: 1 });
    const Parts = [...this.#parts].sort((one, other) => one.PartNumber - other.PartNumber);
    await client.send(
      new s3.CompleteMultipartUploadCommand({ ...this.#started, MultipartUpload: { Parts } }),
    );
  }

  /** Removes the parts; does nothing when the upload was not started. */
  async abort(): Promise<void> {
    if (this.#id === undefined) return;
    const { client, s3 } = await this.#bucket.sdk();
    this.#bucket.count("s3:AbortMultipartUpload", { blobWrites: 1 });
    await client.send(new s3.AbortMultipartUploadCommand(this.#started));
  }

  /** Completes what `putAll` uploads. When that fails, removes all parts and throws the reason. */
  async finish(putAll: () => Promise<void>): Promise<void> {
    try {
      await putAll();
      await this.complete();
    } catch (error) {
      await this.abort().catch((cause: unknown) => {
        throw new AggregateError([error, cause], "the upload failed and its parts could not be removed");
      });
      rethrow(error);
    }
  }
}
