import { type ForgeError, storageFull } from "../errors.ts";

const codes = new Set(["ENOSPC", "EDQUOT"]);
/** The names of this error in stores of the S3 family. */
const names = new Set(["InsufficientStorage", "XMinioStorageFull"]);

/**
 * The refusal to throw when a store's service says that its disk is full, else undefined. AWS never says so; on one
 * machine it ends at once a write that can't succeed.
 */
export function asStorageFull(error: unknown): ForgeError | undefined {
  const { code = "", name, message = "" } = error as Error & { code?: string };
  const isFull = codes.has(code) || names.has(name) || message.includes("database or disk is full");
  return isFull ? storageFull(error) : undefined;
}
