import type { Task } from "../../compute/task.ts";
import { isSshSignatureOf, parseSshSignature } from "./ssh-signature.ts";

/** An armored signature, and the bytes that it is for. */
export interface SshSigned {
  readonly armored: string;
  readonly payload: Uint8Array;
}

const smallBytes = 1024 * 1024;

/** Whether each signature comes from the key that it names. Only RSA takes milliseconds. */
export const verifySshTask: Task<{ readonly signatures: readonly SshSigned[] }, boolean[]> = {
  name: "verify-ssh-signatures",
  deadlineMs: 5_000,
  isSmall: ({ signatures }) =>
    signatures.reduce((sum, { payload }) => sum + payload.length, 0) <= smallBytes &&
    signatures.every(({ armored }) => parseSshSignature(armored)?.keyType !== "ssh-rsa"),
  run: ({ signatures }) =>
    signatures.map(({ armored, payload }) => {
      const signature = parseSshSignature(armored);
      return signature !== undefined && isSshSignatureOf(signature, payload);
    }),
};
