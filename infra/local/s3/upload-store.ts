import { createHash, randomUUID } from "node:crypto";
import { readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { isDiskFull, makeDurableFolder } from "../durable-file.ts";
import { bigEndian, type Digest, type ReceivedBody } from "./body.ts";
import { diskFull, invalidArgument, noSuchUpload, S3Error } from "./error.ts";
import { digestFields, type ObjectRecord, openObjectFile, writeObjectFile } from "./object-file.ts";
import type { ObjectStore } from "./object-store.ts";

/** A stored part; `etag` is the MD5 of its bytes, in hex. */
export interface PartRecord {
  number: number;
  sizeBytes: number;
  etag: string;
  crc32: string;
  modified: number;
}

/** One that has not ended. */
interface UnfinishedUpload {
  id: string;
  key: string;
  begunMs: number;
}

interface Upload {
  key: string;
  headers: Record<string, string>;
}

const smallestPartBytes = 5 * 1024 * 1024;
const copyBytes = 1024 * 1024;

/** An upload may be completed while others are looked at. */
function ifThere(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}

const invalidPart = (number: number) =>
  new S3Error(400, "InvalidPart", `Part ${number} is missing, damaged, or does not have the ETag given.`);

/**
 * Multipart uploads: a folder each, a file per part. Parts are not synced to disk; instead completing checks each part
 * against its checksum while it copies it, so a part that a power cut damaged fails the upload and never an object.
 */
export class UploadStore {
  readonly #folder: string;
  readonly #objects: ObjectStore;

  private constructor(folder: string, objects: ObjectStore) {
    this.#folder = folder;
    this.#objects = objects;
  }

  /** Opens or creates the store. */
  static async open(folder: string, objects: ObjectStore): Promise<UploadStore> {
    const uploads = join(folder, "uploads");
    await makeDurableFolder(uploads);
    return new UploadStore(uploads, objects);
  }

  /** The uploads that have not ended, by key and then by age. */
  async list(prefix: string): Promise<UnfinishedUpload[]> {
    const found: UnfinishedUpload[] = [];
    for (const id of await readdir(this.#folder)) {
      const path = join(this.#folder, id, "upload");
      const begun = await stat(path).catch(ifThere);
      const text = begun && (await readFile(path, "utf8").catch(ifThere));
      if (begun === undefined || text === undefined) continue;
      const { key } = JSON.parse(text) as Upload;
      if (key.startsWith(prefix)) found.push({ id, key, begunMs: begun.mtimeMs });
    }
    return found.sort((one, other) =>
      one.key === other.key ? one.begunMs - other.begunMs : one.key < other.key ? -1 : 1,
    );
  }

  async create(upload: Upload): Promise<string> {
    const id = randomUUID();
    try {
      await makeDurableFolder(join(this.#folder, id));
      await writeFile(join(this.#folder, id, "upload"), JSON.stringify(upload), { mode: 0o600, flush: true });
    } catch (error) {
      await rm(join(this.#folder, id), { recursive: true, force: true });
      throw isDiskFull(error) ? diskFull() : error;
    }
    return id;
  }

  async #find(id: string, key: string): Promise<{ folder: string; upload: Upload }> {
    if (!/^[0-9a-f-]{36}$/.test(id)) throw noSuchUpload();
    const folder = join(this.#folder, id);
    try {
      const upload = JSON.parse(await readFile(join(folder, "upload"), "utf8")) as Upload;
      if (upload.key === key) return { folder, upload };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
    throw noSuchUpload();
  }

  /** Stores or replaces a part. */
  async putPart(id: string, key: string, number: number, body: ReceivedBody): Promise<PartRecord> {
    if (!Number.isInteger(number) || number < 1 || number > 10_000) {
      throw invalidArgument("Part number must be an integer between 1 and 10000, inclusive.");
    }
    const { folder } = await this.#find(id, key);
    const draft = join(folder, `draft-${randomUUID()}`);
    const describe = () => ({ number, modified: Date.now(), ...digestFields(body.digest()) });
    try {
      const part = await writeObjectFile<PartRecord>(draft, body.chunks, describe, false);
      await rename(draft, join(folder, String(number)));
      return part;
    } catch (error) {
      await rm(draft, { force: true });
      // The upload was completed or aborted while the part came in.
      throw (error as NodeJS.ErrnoException).code === "ENOENT" ? noSuchUpload() : error;
    }
  }

  /** The parts there are, by number. */
  async parts(id: string, key: string): Promise<PartRecord[]> {
    const { folder } = await this.#find(id, key);
    const numbers = (await readdir(folder)).filter((name) => /^\d+$/.test(name)).map(Number);
    const found: PartRecord[] = [];
    for (const number of numbers.sort((one, other) => one - other)) {
      const opened = await openObjectFile<PartRecord>(join(folder, String(number)));
      if (opened === undefined) continue;
      await opened.file.close();
      found.push(opened.record);
    }
    return found;
  }

  /** Joins the named parts, in ascending order, into the object, and forgets the upload. */
  async complete(
    id: string,
    key: string,
    wanted: readonly { number: number; etag: string }[],
  ): Promise<ObjectRecord> {
    const { folder, upload } = await this.#find(id, key);
    const parts = chooseParts(await this.parts(id, key), wanted);
    const whole = { sizeBytes: 0, checksum: 0 };
    async function* chunks(): AsyncGenerator<Buffer> {
      for (const part of parts) {
        for await (const chunk of checkedPart(join(folder, String(part.number)), part)) {
          whole.checksum = crc32(chunk, whole.checksum);
          whole.sizeBytes += chunk.length;
          yield chunk;
        }
      }
    }
    const md5 = Buffer.alloc(0); // an object of parts has an ETag made of its parts' instead
    const digest = (): Digest => ({ sizeBytes: whole.sizeBytes, md5, crc32: bigEndian(whole.checksum) });
    const record = await this.#objects.put({ ...upload, chunks: chunks(), digest, etag: joinedEtag(parts) });
    await rm(folder, { recursive: true, force: true });
    return record;
  }

  async abort(id: string, key: string): Promise<void> {
    const { folder } = await this.#find(id, key);
    await rm(folder, { recursive: true, force: true });
  }
}

/** The named parts, with S3's checks in its order: ascending, present, large enough. */
function chooseParts(there: readonly PartRecord[], wanted: readonly { number: number; etag: string }[]) {
  if (wanted.some((part, index) => index > 0 && part.number <= (wanted[index - 1]?.number ?? 0))) {
    throw new S3Error(400, "InvalidPartOrder", "The list of parts was not in ascending order.");
  }
  const byNumber = new Map(there.map((part) => [part.number, part]));
  const parts = wanted.map(({ number, etag }) => {
    const part = byNumber.get(number);
    if (part === undefined || part.etag !== etag) throw invalidPart(number);
    return part;
  });
  const small = parts.slice(0, -1).find((part) => part.sizeBytes < smallestPartBytes);
  if (small === undefined) return parts;
  throw new S3Error(400, "EntityTooSmall", `Part ${small.number} is smaller than 5 MiB and not the last.`);
}

/** A part's bytes, each chunk valid until the next one is asked for. Throws InvalidPart at the end when they changed. */
async function* checkedPart(path: string, part: PartRecord): AsyncGenerator<Buffer> {
  const opened = await openObjectFile<PartRecord>(path);
  if (opened === undefined || opened.record.etag !== part.etag) throw invalidPart(part.number);
  const room = Buffer.allocUnsafeSlow(Math.min(copyBytes, part.sizeBytes));
  let checksum = 0;
  try {
    for (let at = 0; at < part.sizeBytes; ) {
      const length = Math.min(room.length, part.sizeBytes - at);
      const { bytesRead } = await opened.file.read(room, 0, length, at);
      if (bytesRead === 0) throw invalidPart(part.number);
      const chunk = room.subarray(0, bytesRead);
      checksum = crc32(chunk, checksum);
      yield chunk;
      at += bytesRead;
    }
  } finally {
    await opened.file.close();
  }
  if (bigEndian(checksum).toString("base64") !== part.crc32) throw invalidPart(part.number);
}

function joinedEtag(parts: readonly PartRecord[]): string {
  const hash = createHash("md5");
  for (const part of parts) hash.update(Buffer.from(part.etag, "hex"));
  return `${hash.digest("hex")}-${parts.length}`;
}
