import { createPublicKey } from "node:crypto";
import { parseSshKey, sshKeyBytes } from "../git/format/ssh-key.ts";
import { sshFingerprint } from "../git/format/ssh-signature.ts";
import { WireReader } from "../git/format/ssh-wire.ts";

/** A stored public key: one line of authorized keys, in its parts. */
export interface KeyText {
  /** For instance `ssh-ed25519`. */
  readonly type: string;
  readonly base64: string;
  /** The text behind the key, mostly `user@host`; may be empty. */
  readonly comment: string;
  /** `SHA256:…`, as ssh-keygen shows it. */
  readonly fingerprint: string;
}

/** A key, or why the text is no acceptable one: for people. */
export type ReadKeyText = KeyText | { readonly problem: string };

const longest = { text: 16_384, comment: 255 };
const leastRsaBits = 2_048;
const mostRsaBits = 16_384;

/**
 * Reads a public key in the form of authorized keys (with or without its type before it), of RFC 4716, or in PEM. Keys
 * that are too short for our time, private keys and certificates are refused.
 */
export function readKeyText(given: string): ReadKeyText {
  const text = given.trim();
  if (text.length > longest.text) return { problem: `it is longer than ${longest.text} characters` };
  if (/PRIVATE KEY/.test(text)) {
    return {
      problem: "it is a private key: send the public one, and make a new pair, as this one was shown",
    };
  }
  if (text.startsWith("-----BEGIN")) return fromPem(text);
  if (text.startsWith("---- BEGIN SSH2")) return fromRfc4716(text);
  return fromLine(text);
}

function fromLine(text: string): ReadKeyText {
  if (/[\r\n]/.test(text)) return { problem: "expected one key in one line" };
  const [first = "", second = "", ...rest] = text.split(/[ \t]+/);
  const bare = bytesOf(first);
  const isBare = bare !== undefined && typeIn(bare) !== "";
  if (isBare) return keyOf(bare, commentOf([second, ...rest]));
  const blob = bytesOf(second);
  if (blob === undefined) return { problem: "expected a type, the key in base64, and a comment" };
  if (typeIn(blob) !== first) return { problem: `the key is not of the type ${first.slice(0, 64)}` };
  return keyOf(blob, commentOf(rest));
}

/** Headers (a line that ends in a backslash goes on), then base64 in lines (RFC 4716). */
function fromRfc4716(text: string): ReadKeyText {
  const lines = text.replace(/\\\r?\n/g, "").split(/\r?\n/);
  const end = lines.findIndex((line) => line.startsWith("---- END SSH2 PUBLIC KEY"));
  const inside = lines.slice(1, end < 0 ? 1 : end);
  const headers = inside.filter((line) => line.includes(":"));
  const blob = bytesOf(inside.filter((line) => !line.includes(":")).join(""));
  if (blob === undefined) return { problem: "the block of SSH2 PUBLIC KEY is not well-formed" };
  const comment = headers.find((line) => /^comment:/i.test(line))?.slice("comment:".length) ?? "";
  return keyOf(blob, commentOf([comment.trim().replace(/^"(.*)"$/, "$1")]));
}

function fromPem(text: string): ReadKeyText {
  try {
    const blob = sshKeyBytes(createPublicKey(text));
    return blob === undefined ? { problem: "keys of this kind are not taken" } : keyOf(blob, "");
  } catch {
    return { problem: "the PEM block is not that of a public key" };
  }
}

function keyOf(blob: Buffer, comment: string): ReadKeyText {
  const key = parseSshKey(blob);
  if (key === undefined) {
    const type = typeIn(blob);
    return { problem: `keys of the type ${type} are not taken, or this one is not well-formed` };
  }
  const { type, bits } = key;
  if (type === "ssh-rsa" && (bits < leastRsaBits || bits > mostRsaBits)) {
    return { problem: `RSA keys have ${leastRsaBits} to ${mostRsaBits} bits, this one has ${bits}` };
  }
  return { type, base64: blob.toString("base64"), comment, fingerprint: sshFingerprint(blob) };
}

/** The bytes of strict base64; undefined when it is none. */
function bytesOf(base64: string): Buffer | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return undefined;
  const bytes = Buffer.from(base64, "base64");
  const unpadded = (value: string) => value.replace(/=+$/, "");
  return unpadded(bytes.toString("base64")) === unpadded(base64) ? bytes : undefined;
}

/** The type at the start of a key's bytes; empty when there is none. */
function typeIn(blob: Buffer): string {
  const type = new WireReader(blob).string()?.toString("latin1") ?? "";
  return /^[\w@.-]{3,64}$/.test(type) ? type : "";
}

/** A comment is for people: one line, without characters that a terminal would act on, and not too long. */
const commentOf = (words: readonly string[]): string =>
  words
    .join(" ")
    .replace(/\p{Cc}/gu, "")
    .trim()
    .slice(0, longest.comment);
