/** One header of a commit or tag; a value of several lines (gpgsig, mergetag) holds `\n` between them. */
export interface ObjectHeader {
  name: string;
  value: string;
}

/** Headers in their order, and the content behind the empty line. */
export interface HeaderedObject {
  headers: ObjectHeader[];
  message: Buffer;
}

const newline = 0x0a;
const space = 0x20;

/**
 * Splits a commit or tag. Header bytes are kept one character each (latin1), so that they can be written back exactly.
 * Lines without a space become headers with an empty value.
 */
export function parseHeaders(data: Buffer): HeaderedObject {
  const headers: ObjectHeader[] = [];
  let at = 0;
  while (at < data.length && data[at] !== newline) {
    const found = data.indexOf(newline, at);
    const end = found < 0 ? data.length : found;
    const last = headers.at(-1);
    if (data[at] === space && last !== undefined) {
      last.value += `\n${data.toString("latin1", at + 1, end)}`;
    } else {
      const line = data.toString("latin1", at, end);
      const gap = line.indexOf(" ");
      headers.push(
        gap < 0 ? { name: line, value: "" } : { name: line.slice(0, gap), value: line.slice(gap + 1) },
      );
    }
    at = end + 1;
  }
  return { headers, message: data.subarray(Math.min(at + 1, data.length)) };
}

/** The bytes of a commit or tag. Values are latin1, as from `parseHeaders`. */
export function serializeHeaders(object: HeaderedObject): Buffer {
  let text = "";
  for (const { name, value } of object.headers) text += `${name} ${value.replaceAll("\n", "\n ")}\n`;
  return Buffer.concat([Buffer.from(`${text}\n`, "latin1"), object.message]);
}

/** The text of bytes in a commit's declared encoding; undeclared or unknown is UTF-8, and latin1 when that fails. */
export function decodeText(bytes: Uint8Array, encoding = "utf-8"): string {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  }
}

/** A header's latin1 value as text. */
export const decodeHeader = (value: string, encoding?: string): string =>
  isAscii(value) ? value : decodeText(Buffer.from(value, "latin1"), encoding);

/** Text as a header's latin1 value, in UTF-8. */
export const encodeHeader = (text: string): string =>
  isAscii(text) ? text : Buffer.from(text, "utf8").toString("latin1");

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
}
