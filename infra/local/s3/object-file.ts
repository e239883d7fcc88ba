import { type FileHandle, open } from "node:fs/promises";
import { isDiskFull } from "../durable-file.ts";
import type { Digest } from "./body.ts";
import { diskFull } from "./error.ts";

/** The facts kept with an object's bytes. Everything but `key` is in GetObject's form. */
export interface ObjectRecord {
  key: string;
  sizeBytes: number;
  /** Without quotes. */
  etag: string;
  /** Milliseconds since the epoch, whole seconds. */
  modified: number;
  /** Base64, of the whole object. */
  crc32: string;
  /** Content-Type, Cache-Control and the like, and x-amz-meta-*; names in lower case. */
  headers: Record<string, string>;
}

// An object's file: its bytes, the record as JSON, the JSON's length (4 bytes, big-endian), and this mark. The record
// lies behind the bytes because it is known last, and in the same file so that one rename shows both or none.
const mark = Buffer.from("CF-S3-01");
const footerBytes = 4 + mark.length;
const guessedTailBytes = 4096;

/**
 * Writes a new file: the chunks, then the record that `describe` makes of them. Synced to disk unless `isSynced` is
 * false. The caller removes the file when this throws. A full disk is S3Error 507.
 */
export async function writeObjectFile<T extends object>(
  path: string,
  chunks: AsyncIterable<Buffer>,
  describe: () => T,
  isSynced = true,
): Promise<T> {
  try {
    const file = await open(path, "wx", 0o600);
    try {
      for await (const chunk of chunks) await file.appendFile(chunk);
      const record = describe();
      const json = Buffer.from(JSON.stringify(record));
      const length = Buffer.alloc(4);
      length.writeUInt32BE(json.length);
      await file.appendFile(Buffer.concat([json, length, mark]));
      if (isSynced) await file.datasync();
      return record;
    } finally {
      await file.close();
    }
  } catch (error) {
    throw isDiskFull(error) ? diskFull() : error;
  }
}

async function readAt(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const bytes = Buffer.alloc(end - start);
  const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
  if (bytesRead !== bytes.length) throw new Error("the file is shorter than expected");
  return bytes;
}

/** Reads the record at the end of an open file. Throws when the file is not one that `writeObjectFile` finished. */
async function readRecord<T extends object>(file: FileHandle): Promise<T> {
  const { size } = await file.stat();
  const tail = await readAt(file, Math.max(0, size - guessedTailBytes), size);
  const footer = tail.subarray(-footerBytes);
  if (footer.length !== footerBytes || !footer.subarray(4).equals(mark))
    throw new Error("the file is damaged");
  const end = size - footerBytes;
  const start = end - footer.readUInt32BE(0);
  if (start < 0) throw new Error("the file is damaged");
  const tailStart = size - tail.length;
  const json =
    start >= tailStart ? tail.subarray(start - tailStart, end - tailStart) : await readAt(file, start, end);
  return JSON.parse(json.toString()) as T;
}

/** Opens a finished file with its record; undefined when there is none. The caller closes the file. */
export async function openObjectFile<T extends object>(
  path: string,
): Promise<{ file: FileHandle; record: T } | undefined> {
  let file: FileHandle;
  try {
    file = await open(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  try {
    return { file, record: await readRecord<T>(file) };
  } catch (error) {
    await file.close();
    throw new Error(`can't read ${path}`, { cause: error });
  }
}

/** The record's part that follows from the bytes. */
export const digestFields = (digest: Digest) => ({
  sizeBytes: digest.sizeBytes,
  etag: digest.md5.toString("hex"),
  crc32: digest.crc32.toString("base64"),
});
