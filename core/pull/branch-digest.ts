import { createHash } from "node:crypto";

/** Stands for a branch in keys: names may be longer than these. */
export const branchDigest = (branch: string): string =>
  createHash("sha256").update(branch).digest("hex").slice(0, 32);

/** Stands for the base branch of a pull request in the list index: 8 bytes. */
export const baseDigest = (base: string): Buffer => Buffer.from(branchDigest(base), "hex").subarray(0, 8);

/** The same for its head. */
export const headDigest = (head: { readonly headRepositoryId: number; readonly head: string }): Buffer =>
  baseDigest(`${head.headRepositoryId}:${head.head}`);
