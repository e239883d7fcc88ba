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

/**
 * Splits a commit or tag. Header bytes are kept one character each (latin1), so that they can be written back exactly.
 * Lines without a space become headers with an empty value.
 */
export function parseHeaders(data: Buffer): HeaderedObject {
  const headers: ObjectHeader[] = [];
  const message = readHeaders(data, (name, value) => headers.push({ name, value }));
  return { headers, message };
}

/** The same, header by header; answers the message. Of 20,000 parents no objects are made that the caller drops. */
export function readHeaders(data: Buffer, take: (name: string, value: string) => void): Buffer {
  const headersEnd = data[0] === newline ? 0 : endOf(data.indexOf("\n\n"), data.length);
  const text = data.toString("latin1", 0, headersEnd);
  for (let at = 0; at < text.length; ) {
    let end = endOf(text.indexOf("\n", at), text.length);
    const isContinued = text[end + 1] === " ";
    while (text[end + 1] === " ") end = endOf(text.indexOf("\n", end + 1), text.length);
    const lineEnd = isContinued ? text.indexOf("\n", at) : end;
    const gap = text.slice(at, lineEnd).indexOf(" ");
    const nameEnd = gap < 0 ? lineEnd : at + gap;
    const value = text.slice(gap < 0 ? lineEnd : nameEnd + 1, end);
    take(text.slice(at, nameEnd), isContinued ? value.replaceAll("\n ", "\n") : value);
    at = end + 1;
  }
  return data.subarray(Math.min(headersEnd + (headersEnd === 0 ? 1 : 2), data.length));
}

const endOf = (found: number, length: number): number => (found < 0 ? length : found);

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
