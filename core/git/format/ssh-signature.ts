import { createHash, hash, type KeyObject, verify } from "node:crypto";
import { parseSshKey, type SshKey, unsigned } from "./ssh-key.ts";
import { WireReader, wireStrings } from "./ssh-wire.ts";

/** A signature in the form of `ssh-keygen -Y sign` (OpenSSH, PROTOCOL.sshsig). */
export interface SshSignature {
  readonly kind: "ssh";
  /** The signer's key in SSH's form: authorized keys hold it in base64. */
  readonly publicKey: Buffer;
  /** For instance `ssh-ed25519`. */
  readonly keyType: string;
  /** `SHA256:` and the hash of the key, as ssh-keygen shows it. */
  readonly fingerprint: string;
  /** The purpose of the signature; git's is `git`. */
  readonly namespace: string;
  readonly hashAlgorithm: "sha256" | "sha512";
  readonly signature: Buffer;
}

const magic = Buffer.from("SSHSIG");
const [begin, end] = ["-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----"];

/** Reads an armored signature; undefined when it is none. */
export function parseSshSignature(armored: string): SshSignature | undefined {
  const base64 = insideArmor(armored.trim());
  if (base64 === undefined) return undefined;
  const bytes = Buffer.from(base64, "base64");
  if (!bytes.subarray(0, magic.length).equals(magic)) return undefined;
  const reader = new WireReader(bytes.subarray(magic.length));
  if (reader.number() !== 1) return undefined;
  const [publicKey, namespace, reserved, hashAlgorithm, signature] = Array.from({ length: 5 }, () =>
    reader.string(),
  );
  if (
    publicKey === undefined ||
    namespace === undefined ||
    reserved === undefined ||
    signature === undefined
  ) {
    return undefined;
  }
  const name = hashAlgorithm?.toString();
  if (name !== "sha256" && name !== "sha512") return undefined;
  const keyType = new WireReader(publicKey).string()?.toString() ?? "";
  const fingerprint = sshFingerprint(publicKey);
  return {
    ...{ kind: "ssh", publicKey, keyType, fingerprint, namespace: namespace.toString() },
    ...{ hashAlgorithm: name, signature },
  };
}

/** By hand: one regular expression would try every way to split blanks, for hours. */
function insideArmor(text: string): string | undefined {
  if (!text.startsWith(begin) || !text.endsWith(end)) return undefined;
  const inside = text.slice(begin.length, text.length - end.length);
  const isFramed = /^\s/.test(inside) && /\s/.test(inside.slice(-1));
  return isFramed && /^[A-Za-z0-9+/=\s]+$/.test(inside) ? inside : undefined;
}

/** `SHA256:…` of a key in SSH's form. */
export const sshFingerprint = (publicKey: Buffer): string =>
  `SHA256:${createHash("sha256").update(publicKey).digest("base64").replace(/=+$/, "")}`;

/** Whether a signature is that of its key over some bytes. The caller knows whose key it is. */
export function isSshSignatureOf(signature: SshSignature, payload: Uint8Array, namespace = "git"): boolean {
  if (signature.namespace !== namespace) return false;
  const digest = hash(signature.hashAlgorithm, payload, "buffer");
  const signed = Buffer.concat([magic, wireStrings(namespace, "", signature.hashAlgorithm, digest)]);
  try {
    return isSignedBy(signature, signed);
  } catch {
    // A key or signature that is not well-formed signs nothing.
    return false;
  }
}

function isSignedBy({ publicKey, signature }: SshSignature, signed: Buffer): boolean {
  const signer = parseSshKey(publicKey);
  if (signer === undefined) return false;
  const parts = new WireReader(signature);
  const algorithm = parts.string()?.toString();
  const value = parts.string();
  if (value === undefined) return false;
  if (signer.type === "ssh-rsa") return isRsaSigned(signer, algorithm, signed, value);
  if (algorithm !== signer.type) return false;
  const data = signer.application === undefined ? signed : hardwareSigned(signer.application, parts, signed);
  return signer.curve === undefined
    ? verify(null, data, signer.key, value)
    : isEcdsaSigned(signer.key, signer.curve, data, value);
}

function isRsaSigned(
  { key, bits }: SshKey,
  algorithm: string | undefined,
  signed: Buffer,
  value: Buffer,
): boolean {
  const digest = { "rsa-sha2-256": "sha256", "rsa-sha2-512": "sha512" }[algorithm ?? ""];
  // Shorter keys are not to be trusted; ssh-keygen refuses them too.
  return digest !== undefined && bits > 2040 && verify(digest, signed, key, value);
}

function isEcdsaSigned(
  key: KeyObject,
  { hash: digest, bytes }: { hash: string; bytes: number },
  signed: Buffer,
  value: Buffer,
): boolean {
  const numbers = new WireReader(value);
  const both = [unsigned(numbers.string()), unsigned(numbers.string())];
  if (both.some(({ length }) => length > bytes)) return false;
  const fixed = Buffer.concat(both.map((one) => Buffer.concat([Buffer.alloc(bytes - one.length), one])));
  return verify(digest, signed, { key, dsaEncoding: "ieee-p1363" }, fixed);
}

/** A security key signs hashes of its application and of the data, and its flags and counter between them. */
function hardwareSigned(application: Buffer, rest: WireReader, signed: Buffer): Buffer {
  const flagsAndCounter = rest.bytes(5);
  if (flagsAndCounter === undefined) throw new Error("no security key's signature");
  const [first, last] = [hash("sha256", application, "buffer"), hash("sha256", signed, "buffer")];
  return Buffer.concat([first, flagsAndCounter, last]);
}
