import type { Task } from "../compute/task.ts";
import { isGpgSignatureOf, type ReadGpgKey, readGpgKey } from "./internal/open-pgp.ts";

const deadlineMs = 5_000;

/** Reads an armored key. */
export const readGpgKeyTask: Task<{ readonly armored: string }, ReadGpgKey | { readonly problem: string }> = {
  name: "read-gpg-key",
  deadlineMs,
  run: ({ armored }) => readGpgKey(armored),
};

/** A signature, and the key that is to have made it. */
export interface SignatureToVerify {
  readonly key: Uint8Array;
  readonly armored: string;
  readonly payload: Uint8Array;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Whether each signature is that of its key. */
export const verifyGpgTask: Task<{ readonly signatures: readonly SignatureToVerify[] }, boolean[]> = {
  name: "verify-gpg-signatures",
  deadlineMs,
  async run({ signatures }) {
    const results: boolean[] = [];
    for (const { key, armored, payload, now } of signatures) {
      results.push(await isGpgSignatureOf(key, armored, payload, new Date(now)));
    }
    return results;
  },
};
