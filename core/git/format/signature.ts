import { type GpgSignature, parseGpgSignature } from "./gpg-signature.ts";
import { parseSshSignature, type SshSignature } from "./ssh-signature.ts";

/** The signature of a commit or tag. `unreadable`: of an unknown kind or form. */
export type Signature =
  | SshSignature
  | GpgSignature
  | { readonly kind: "x509" }
  | { readonly kind: "unreadable" };

/** Reads an armored signature of a commit or tag. Verifying it is another step: `isSshSignatureOf`. */
export function readSignature(armored: string): Signature {
  const start = armored.trimStart();
  if (start.startsWith("-----BEGIN SIGNED MESSAGE-----")) return { kind: "x509" };
  const known = start.startsWith("-----BEGIN SSH SIGNATURE-----")
    ? parseSshSignature(armored)
    : parseGpgSignature(armored);
  return known ?? { kind: "unreadable" };
}
