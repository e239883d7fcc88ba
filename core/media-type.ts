/** The first bytes of a kind of file, and their place. */
type FileMark = readonly [type: string, bytes: string, at?: number];

/** By their first bytes, latin1. */
const marks: readonly FileMark[] = [
  ["image/png", "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", "\xff\xd8\xff"],
  ["image/gif", "GIF87a"],
  ["image/gif", "GIF89a"],
  ["image/webp", "WEBP", 8],
  ["image/bmp", "BM"],
  ["image/x-icon", "\0\0\x01\0"],
  ["image/avif", "ftypavif", 4],
  ["application/pdf", "%PDF-"],
  ["audio/mpeg", "ID3"],
  ["audio/wave", "WAVE", 8],
  ["audio/aiff", "AIFF", 8],
  ["audio/flac", "fLaC"],
  ["audio/basic", ".snd"],
  ["application/ogg", "OggS\0"],
  ["video/avi", "AVI ", 8],
  ["video/webm", "\x1aE\xdf\xa3"],
  ["video/mp4", "ftyp", 4],
];
const svg = /^(?:<!DOCTYPE\s+svg[^>]*>\s*)?<svg[\s>]/i;

/** Comments by hand: a regular expression would try every way to read several as one. */
function isSvg(text: string): boolean {
  let rest = text.trimStart().replace(/^<\?xml[^>]*\?>\s*/i, "");
  while (rest.startsWith("<!--")) {
    const end = rest.indexOf("-->", 4);
    if (end < 0) return false;
    rest = rest.slice(end + 3).trimStart();
  }
  return svg.test(rest);
}

/**
 * The media type for serving a file (semantics §37.1): pictures, sound, video and PDF by their first bytes, other text
 * as plain text, so that no browser runs it, and the rest as bytes.
 */
export function servedType(sample: Buffer): string {
  const text = sample.toString("latin1");
  const mark = marks.find(([, bytes, at = 0]) => text.startsWith(bytes, at));
  if (mark !== undefined && !(mark[0] === "image/bmp" && !sample.includes(0))) return mark[0];
  if (text.startsWith("\xff\xfe")) return "text/plain; charset=utf-16le";
  if (text.startsWith("\xfe\xff")) return "text/plain; charset=utf-16be";
  if (sample.includes(0)) return "application/octet-stream";
  if (isSvg(text)) return "image/svg+xml";
  return `text/plain; charset=${isUtf8(sample) ? "utf-8" : "iso-8859-1"}`;
}

/** A character that the sample cuts at its end is forgiven. */
function isUtf8(sample: Buffer): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(sample, { stream: true });
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}
