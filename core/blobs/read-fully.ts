import type { FileHandle } from "node:fs/promises";

/** Fills `bytes` from a place in a file: one read may bring less than asked. Throws when the file ends before. */
export async function readFully(file: FileHandle, start: number, bytes: Buffer): Promise<void> {
  for (let filled = 0; filled < bytes.length; ) {
    const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, start + filled);
    if (bytesRead === 0) throw new Error("the file became shorter while it was uploaded");
    filled += bytesRead;
  }
}
