const [lineFeed, carriageReturn, padding] = [0x0a, 0x0d, 0x3d];
const mostPaddings = 2;

/**
 * The bytes of a text in base64 of the standard alphabet, padded; line breaks are skipped. Undefined for other texts: the
 * decoder skips what is none of it, so that the length of its result tells. A text of 32 MB takes some 30 ms, of line
 * breaks alone, too.
 */
export function decodeBase64(given: string): Buffer | undefined {
  const isAscii = Buffer.byteLength(given) === given.length;
  if (!isAscii || given.includes("-") || given.includes("_")) return undefined; // the decoder takes both
  const text = given.includes("\n") || given.includes("\r") ? withoutBreaks(given) : given;
  if (text.length % 4 !== 0) return undefined;
  let digits = text.length;
  while (digits > text.length - mostPaddings && text.charCodeAt(digits - 1) === padding) digits -= 1;
  const decoded = Buffer.from(text, "base64");
  return decoded.length === Math.floor((digits * 3) / 4) ? decoded : undefined;
}

function withoutBreaks(text: string): string {
  const bytes = Buffer.from(text, "latin1");
  let end = 0;
  // Counted by hand: an iterator over so many bytes takes six times as long.
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (byte !== lineFeed && byte !== carriageReturn) bytes[end++] = byte;
  }
  return bytes.toString("latin1", 0, end);
}
