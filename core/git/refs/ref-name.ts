/**
 * Ref names are bytes to git; here they are strings. Bytes that are not UTF-8 become lone surrogates U+DC80…U+DCFF, so
 * that every name survives the way in and out, and the usual ones read as text.
 */

const escapeBase = 0xdc00;

/** Bytes of a ref name as a string; `encodeRefName` gives the same bytes back. */
export function decodeRefName(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = buffer.toString("utf8");
  if (!text.includes("\ufffd") || Buffer.from(text, "utf8").equals(buffer)) return text;
  return escapeInvalidBytes(buffer);
}

function escapeInvalidBytes(buffer: Buffer): string {
  let text = "";
  for (let at = 0; at < buffer.length; ) {
    const length = sequenceLength(buffer, at);
    text +=
      length === 0
        ? String.fromCharCode(escapeBase + (buffer[at] as number))
        : buffer.toString("utf8", at, at + length);
    at += Math.max(length, 1);
  }
  return text;
}

/** Length of the valid UTF-8 sequence at `at`; 0 when there is none (RFC 3629, section 4). */
function sequenceLength(buffer: Buffer, at: number): number {
  const first = buffer[at] as number;
  if (first < 0x80) return 1;
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (length === 0 || at + length > buffer.length) return 0;
  // The second byte tells overlong forms, surrogates and code points beyond U+10FFFF.
  const least = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const most = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  const second = buffer[at + 1] as number;
  if (second < least || second > most) return 0;
  for (let next = at + 2; next < at + length; next++) {
    if (((buffer[next] as number) & 0xc0) !== 0x80) return 0;
  }
  return length;
}

const isEscape = (unit: number): boolean => unit >= escapeBase + 0x80 && unit <= escapeBase + 0xff;

/** The bytes of a ref name. */
export function encodeRefName(name: string): Buffer {
  const parts: Buffer[] = [];
  let plainFrom = 0;
  for (let at = 0; at < name.length; at++) {
    const unit = name.charCodeAt(at);
    if (unit >= 0xd800 && unit < 0xdc00) at++;
    else if (isEscape(unit)) {
      parts.push(Buffer.from(name.slice(plainFrom, at), "utf8"), Buffer.from([unit - escapeBase]));
      plainFrom = at + 1;
    }
  }
  parts.push(Buffer.from(name.slice(plainFrom), "utf8"));
  return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
}

/** The bytes of a ref name, one character each (latin1), as in lines of the protocol. */
export function latin1RefName(name: string): string {
  for (let at = 0; at < name.length; at++) {
    if (name.charCodeAt(at) > 0x7f) return encodeRefName(name).toString("latin1");
  }
  return name;
}

/** Whether a ref name is text, so that it can be used in texts (settings, messages). */
export const isTextName = (name: string): boolean => encodeRefName(name).toString("utf8") === name;

/** Git's order of ref names: by bytes. Below zero, zero, above zero. */
export function compareRefNames(left: string, right: string): number {
  if (left === right) return 0;
  const end = Math.min(left.length, right.length);
  for (let at = 0; at < end; at++) {
    const a = left.charCodeAt(at);
    const b = right.charCodeAt(at);
    if (a === b) continue;
    // Code units and bytes order alike below the surrogates.
    return a < 0xd800 && b < 0xd800 ? a - b : Buffer.compare(encodeRefName(left), encodeRefName(right));
  }
  return left.length - right.length;
}

export const branchPrefix = "refs/heads/";
export const tagPrefix = "refs/tags/";
