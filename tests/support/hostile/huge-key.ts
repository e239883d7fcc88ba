import { hash } from "node:crypto";

/**
 * An RSA key as OpenPGP armors it (RFC 9580 §5.5), with numbers of so many bits that are none of a real key, and
 * signatures that take as long to verify as they may.
 */
export function hugeKey({
  modulusBits,
  exponentBits,
}: {
  modulusBits: number;
  exponentBits: number;
}): string {
  const key = Buffer.concat([
    Buffer.of(4, 0x5f, 0, 0, 0, 1),
    number(Buffer.alloc(modulusBits / 8, 0xff)),
    number(Buffer.alloc(exponentBits / 8, 0xff)),
  ]);
  const user = Buffer.from("Mallory <root@example.com>");
  const hashedKey = Buffer.concat([Buffer.of(0x99, key.length >> 8, key.length & 255), key]);
  const signed = Buffer.concat([hashedKey, Buffer.of(0xb4), lengthOf(user), user]);
  const keyId = hash("sha1", hashedKey, "buffer").subarray(-8);
  const certification = signaturePacket({ type: 0x13, keyId, modulusBits, signed });
  return armored("PUBLIC KEY BLOCK", [packet(6, key), packet(13, user), ...Array(5).fill(certification)]);
}

/** A detached signature that names a key, and is none: to find that out one has to reckon with the key's numbers. */
export const hugeSignature = (keyId: string, modulusBits: number, signed: Buffer): string =>
  armored("SIGNATURE", [signaturePacket({ type: 0, keyId: Buffer.from(keyId, "hex"), modulusBits, signed })]);

interface FalseSignature {
  readonly type: number;
  readonly keyId: Buffer;
  readonly modulusBits: number;
  readonly signed: Buffer;
}

/** By RSA over SHA-224, which no library hands to the system; the digest that it tells is right. */
function signaturePacket({ type, keyId, modulusBits, signed }: FalseSignature): Buffer {
  const [rsa, sha224] = [1, 11];
  const created = Buffer.of(5, 2, 0x5f, 0, 0, 1);
  const head = Buffer.concat([Buffer.of(4, type, rsa, sha224, 0, created.length), created]);
  const digest = hash("sha224", Buffer.concat([signed, head, Buffer.of(4, 255), lengthOf(head)]), "buffer");
  const issuer = Buffer.concat([Buffer.of(9, 16), keyId]);
  const value = number(Buffer.alloc(modulusBits / 8, 0x7f));
  return packet(2, Buffer.concat([head, Buffer.of(0, issuer.length), issuer, digest.subarray(0, 2), value]));
}

function lengthOf(content: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  return length;
}

function armored(kind: string, packets: readonly Buffer[]): string {
  const lines = Buffer.concat(packets)
    .toString("base64")
    .match(/.{1,64}/g);
  return `-----BEGIN PGP ${kind}-----\n\n${lines?.join("\n")}\n-----END PGP ${kind}-----\n`;
}

function number(bytes: Buffer): Buffer {
  const bits = bytes.length * 8 - Math.clz32(bytes[0] ?? 0) + 24;
  return Buffer.concat([Buffer.of(bits >> 8, bits & 255), bytes]);
}

const packet = (tag: number, content: Buffer): Buffer =>
  Buffer.concat([Buffer.of(0xc0 | tag, 255), lengthOf(content), content]);
