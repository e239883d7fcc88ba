import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import type { PackFiles } from "./pack-files.ts";

/** One pack in a local file, for any key: for reading a pack before it is stored. */
export function localPackFiles(path: string): PackFiles {
  const read = async (_key: string, start: number, endExclusive: number): Promise<Buffer> => {
    const file = await open(path);
    try {
      const bytes = Buffer.alloc(endExclusive - start);
      const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
      return bytes.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  };
  return {
    get: () => Promise.reject(new Error(`${path} has no side file beside it`)),
    read,
    stream: (_key, start, endExclusive) => createReadStream(path, { start, end: endExclusive - 1 }),
  };
}
