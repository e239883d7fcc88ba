import { createHash } from "node:crypto";
import type { FileHashes } from "./package.table.ts";

const names = ["md5", "sha1", "sha256", "sha512"] as const;

/** Hashes a file as it passes, piece by piece. */
export class FileHasher {
  readonly #hashes = names.map((name) => [name, createHash(name)] as const);

  async *passing(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      for (const [, hash] of this.#hashes) hash.update(piece);
      yield piece;
    }
  }

  /** Once all pieces have passed. */
  digest(): FileHashes {
    return Object.fromEntries(
      this.#hashes.map(([name, hash]) => [name, hash.digest("hex")]),
    ) as unknown as FileHashes;
  }
}

/** The hashes of pieces that are read for them alone. */
export async function hashesOf(pieces: AsyncIterable<Uint8Array>): Promise<FileHashes> {
  const hasher = new FileHasher();
  for await (const _piece of hasher.passing(pieces));
  return hasher.digest();
}
