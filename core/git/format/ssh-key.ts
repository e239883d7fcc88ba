import { createPublicKey, type JsonWebKey, type KeyObject } from "node:crypto";
import { WireReader, wireStrings } from "./ssh-wire.ts";

/** A public key in SSH's form, taken apart (RFC 4253 §6.6, RFC 5656, RFC 8709, OpenSSH's PROTOCOL.u2f). */
export interface SshKey {
  /** For instance `ssh-ed25519`. */
  readonly type: string;
  readonly bits: number;
  readonly key: KeyObject;
  /** Of ECDSA: the hash that belongs to the curve, and the bytes of one number. */
  readonly curve?: { readonly hash: string; readonly bytes: number };
  /** Of security keys: the application they sign for, such as `ssh:`. */
  readonly application?: Buffer;
}

const curves: Readonly<Record<string, { name: string; hash: string; bytes: number; bits: number }>> = {
  nistp256: { name: "P-256", hash: "sha256", bytes: 32, bits: 256 },
  nistp384: { name: "P-384", hash: "sha384", bytes: 48, bits: 384 },
  nistp521: { name: "P-521", hash: "sha512", bytes: 66, bits: 521 },
};

/**
 * Reads a key; undefined when its type is unknown, when it is not well-formed, or not in the only form of its type: no
 * other bytes stand for the same key, so a fingerprint identifies it.
 */
export function parseSshKey(blob: Buffer): SshKey | undefined {
  const reader = new WireReader(blob);
  const type = reader.string()?.toString("latin1") ?? "";
  const read = readers[type];
  if (read === undefined) return undefined;
  try {
    const { parts, ...key } = read(type, reader);
    return wireStrings(type, ...parts).equals(blob) ? { type, ...key } : undefined;
  } catch {
    // Bytes that no key can be made of are no key.
    return undefined;
  }
}

/** The result of a type's reader: the key, and the values that it was read from. */
type Found = Omit<SshKey, "type"> & { readonly parts: readonly Buffer[] };

const readers: Readonly<Record<string, (type: string, reader: WireReader) => Found>> = {
  "ssh-rsa": readRsa,
  "ssh-ed25519": readEd25519,
  "sk-ssh-ed25519@openssh.com": onSecurityKey(readEd25519),
  "ecdsa-sha2-nistp256": readEcdsa,
  "ecdsa-sha2-nistp384": readEcdsa,
  "ecdsa-sha2-nistp521": readEcdsa,
  "sk-ecdsa-sha2-nistp256@openssh.com": onSecurityKey(readEcdsa),
};

/** 8,192 and 64 bits: verifying with larger keys would take long, and nobody has them. */
const [mostModulusBytes, mostExponentBytes] = [1_024, 8];

function readRsa(_type: string, reader: WireReader): Found {
  const [e, n] = [positive(reader.string()), positive(reader.string())];
  if (n.length > mostModulusBytes || e.length > mostExponentBytes)
    throw new Error("too large to reckon with");
  const key = keyOf({ kty: "RSA", e: e.toString("base64url"), n: n.toString("base64url") });
  const bits = n.length * 8 - Math.clz32(n[0] ?? 0) + 24;
  return { key, bits, parts: [signed(e), signed(n)] };
}

function readEd25519(_type: string, reader: WireReader): Found {
  const point = reader.string();
  if (point?.length !== 32) throw new Error("no Ed25519 key");
  return {
    key: keyOf({ kty: "OKP", crv: "Ed25519", x: point.toString("base64url") }),
    bits: 256,
    parts: [point],
  };
}

function readEcdsa(type: string, reader: WireReader): Found {
  const name = reader.string() ?? Buffer.alloc(0);
  const curve = curves[name.toString("latin1")];
  const point = reader.string();
  const isOfType = /nistp\d+/.exec(type)?.[0] === name.toString("latin1");
  if (!isOfType || curve === undefined || point?.[0] !== 4 || point.length !== 1 + curve.bytes * 2) {
    throw new Error("no ECDSA key");
  }
  const [x, y] = [point.subarray(1, 1 + curve.bytes), point.subarray(1 + curve.bytes)];
  const key = keyOf({
    kty: "EC",
    crv: curve.name,
    x: x.toString("base64url"),
    y: y.toString("base64url"),
  });
  return { key, bits: curve.bits, curve, parts: [name, point] };
}

/** The reader for a security key: the plain kind's values, then its application. */
function onSecurityKey(read: (type: string, reader: WireReader) => Found) {
  return (type: string, reader: WireReader): Found => {
    const found = read(type, reader);
    const application = reader.string();
    if (application === undefined) throw new Error("no security key");
    return { ...found, application, parts: [...found.parts, application] };
  };
}

const keyOf = (key: JsonWebKey): KeyObject => createPublicKey({ key, format: "jwk" });

/** A number without the zeros before it. */
export function unsigned(bytes: Buffer | undefined): Buffer {
  if (bytes === undefined) throw new Error("number is missing");
  const start = bytes.findIndex((byte) => byte !== 0);
  return start < 0 ? Buffer.alloc(0) : bytes.subarray(start);
}

function positive(bytes: Buffer | undefined): Buffer {
  const number = unsigned(bytes);
  if (number.length === 0 || ((number.at(-1) ?? 0) & 1) === 0) throw new Error("no RSA key");
  return number;
}

/** A number in the protocol's form, with a zero before it when it would read as negative. */
const signed = (number: Buffer): Buffer =>
  ((number[0] ?? 0) & 0x80) === 0 ? number : Buffer.concat([Buffer.alloc(1), number]);

const curveNames: Readonly<Record<string, string>> = {
  prime256v1: "nistp256",
  secp384r1: "nistp384",
  secp521r1: "nistp521",
};

/** The bytes of a key in SSH's form; undefined for kinds that SSH does not know. */
export function sshKeyBytes(key: KeyObject): Buffer | undefined {
  const jwk = key.export({ format: "jwk" });
  const part = (value: string | undefined) => Buffer.from(value ?? "", "base64url");
  if (key.asymmetricKeyType === "rsa") {
    return wireStrings("ssh-rsa", signed(unsigned(part(jwk.e))), signed(unsigned(part(jwk.n))));
  }
  if (key.asymmetricKeyType === "ed25519") return wireStrings("ssh-ed25519", part(jwk.x));
  const curve = curveNames[key.asymmetricKeyDetails?.namedCurve ?? ""];
  if (key.asymmetricKeyType !== "ec" || curve === undefined) return undefined;
  const point = Buffer.concat([Buffer.of(4), part(jwk.x), part(jwk.y)]);
  return wireStrings(`ecdsa-sha2-${curve}`, curve, point);
}
