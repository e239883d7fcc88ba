import { createHash, createPublicKey, hash, type JsonWebKey, type KeyObject, verify } from "node:crypto";
import { WireReader, wireStrings } from "./ssh-wire.ts";

/** A signature as `ssh-keygen -Y sign` makes it (OpenSSH, PROTOCOL.sshsig). */
export interface SshSignature {
  readonly kind: "ssh";
  /** The signer's key as SSH writes it: what authorized keys hold in base64. */
  readonly publicKey: Buffer;
  /** Such as `ssh-ed25519`. */
  readonly keyType: string;
  /** `SHA256:` and the hash of the key, as ssh-keygen shows it. */
  readonly fingerprint: string;
  /** What the signature is for; git's is `git`. */
  readonly namespace: string;
  readonly hashAlgorithm: "sha256" | "sha512";
  readonly signature: Buffer;
}

const magic = Buffer.from("SSHSIG");
const armor = /^-----BEGIN SSH SIGNATURE-----\s+([A-Za-z0-9+/=\s]+?)\s+-----END SSH SIGNATURE-----\s*$/;

/** Reads an armored signature; undefined when it is none. */
export function parseSshSignature(armored: string): SshSignature | undefined {
  const [, base64] = armor.exec(armored.trim()) ?? [];
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

/** `SHA256:…` of a key as SSH writes it. */
export const sshFingerprint = (publicKey: Buffer): string =>
  `SHA256:${createHash("sha256").update(publicKey).digest("base64").replace(/=+$/, "")}`;

/** Whether a signature is that of its key over some bytes. Whose the key is, is for the caller to know. */
export function isSshSignatureOf(signature: SshSignature, payload: Buffer, namespace = "git"): boolean {
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

const curves: Readonly<Record<string, { name: string; hash: string; bytes: number }>> = {
  nistp256: { name: "P-256", hash: "sha256", bytes: 32 },
  nistp384: { name: "P-384", hash: "sha384", bytes: 48 },
  nistp521: { name: "P-521", hash: "sha512", bytes: 66 },
};

function isSignedBy({ publicKey, keyType, signature }: SshSignature, signed: Buffer): boolean {
  const key = new WireReader(publicKey);
  key.string();
  const parts = new WireReader(signature);
  const algorithm = parts.string()?.toString();
  const value = parts.string();
  if (value === undefined) return false;
  if (keyType === "ssh-rsa") return isRsaSigned(key, algorithm, signed, value);
  if (algorithm !== keyType) return false;
  if (keyType === "ssh-ed25519") return verify(null, signed, ed25519Key(key.string()), value);
  if (keyType === "sk-ssh-ed25519@openssh.com") {
    const publicPart = ed25519Key(key.string());
    return verify(null, hardwareSigned(key.string(), parts, signed), publicPart, value);
  }
  if (keyType.startsWith("ecdsa-sha2-")) return isEcdsaSigned(key, signed, value);
  if (keyType !== "sk-ecdsa-sha2-nistp256@openssh.com") return false;
  const { publicPart, curve } = ecdsaKey(key);
  return verifyEcdsa(publicPart, curve, hardwareSigned(key.string(), parts, signed), value);
}

function isRsaSigned(key: WireReader, algorithm: string | undefined, signed: Buffer, value: Buffer): boolean {
  const digest = { "rsa-sha2-256": "sha256", "rsa-sha2-512": "sha512" }[algorithm ?? ""];
  if (digest === undefined) return false;
  const [e, n] = [unsigned(key.string()), unsigned(key.string())];
  // Shorter keys are not to be trusted; ssh-keygen refuses them too.
  if (n.length * 8 < 2048) return false;
  return verify(
    digest,
    signed,
    keyOf({ kty: "RSA", e: e.toString("base64url"), n: n.toString("base64url") }),
    value,
  );
}

const isEcdsaSigned = (key: WireReader, signed: Buffer, value: Buffer): boolean => {
  const { publicPart, curve } = ecdsaKey(key);
  return verifyEcdsa(publicPart, curve, signed, value);
};

function ecdsaKey(key: WireReader) {
  const curve = curves[key.string()?.toString() ?? ""];
  const point = key.string();
  if (curve === undefined || point?.[0] !== 4 || point.length !== 1 + curve.bytes * 2)
    throw new Error("no ECDSA key");
  const [x, y] = [point.subarray(1, 1 + curve.bytes), point.subarray(1 + curve.bytes)];
  const publicPart = keyOf({
    kty: "EC",
    crv: curve.name,
    x: x.toString("base64url"),
    y: y.toString("base64url"),
  });
  return { publicPart, curve };
}

function verifyEcdsa(
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
function hardwareSigned(application: Buffer | undefined, rest: WireReader, signed: Buffer): Buffer {
  const flagsAndCounter = rest.bytes(5);
  if (application === undefined || flagsAndCounter === undefined)
    throw new Error("no security key's signature");
  const [first, last] = [hash("sha256", application, "buffer"), hash("sha256", signed, "buffer")];
  return Buffer.concat([first, flagsAndCounter, last]);
}

function ed25519Key(bytes: Buffer | undefined): KeyObject {
  if (bytes?.length !== 32) throw new Error("no Ed25519 key");
  return keyOf({ kty: "OKP", crv: "Ed25519", x: bytes.toString("base64url") });
}

const keyOf = (key: JsonWebKey): KeyObject => createPublicKey({ key, format: "jwk" });

/** A number without the zeros before it. */
function unsigned(bytes: Buffer | undefined): Buffer {
  if (bytes === undefined) throw new Error("number is missing");
  const start = bytes.findIndex((byte) => byte !== 0);
  return start < 0 ? Buffer.alloc(0) : bytes.subarray(start);
}
