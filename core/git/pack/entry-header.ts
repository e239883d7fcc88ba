/** Numbers of pack entries that hold a delta, beside the four kinds of `typeCodes` (gitformat-pack). */
export const ofsDeltaCode = 6;
export const refDeltaCode = 7;

/** Longest header of an entry: size, then a base id of 32 bytes. */
export const maxEntryHeaderBytes = 10 + 32;

/** The start of a pack entry. */
export interface EntryHeader {
  /** 1–4 for whole objects, 6 and 7 for deltas. */
  code: number;
  /** Inflated size of the content; for deltas, of the delta itself. */
  size: number;
  /** Ofs-delta: how far before this entry its base begins. */
  baseDistance: number;
  /** Ref-delta: the place of the base's binary id in the buffer. */
  baseIdAt: number;
  /** The start of the deflated data in the buffer. */
  dataAt: number;
}

/** A header to read into. */
export const emptyEntryHeader = (): EntryHeader => ({
  code: 0,
  size: 0,
  baseDistance: 0,
  baseIdAt: 0,
  dataAt: 0,
});

/** Reads the header at `at` into `header`. "short" when it runs past `end`, "bad" for a number that no pack holds. */
export function readEntryHeader(
  header: EntryHeader,
  bytes: Uint8Array,
  start: number,
  end: number,
  idBytes: number,
): "ok" | "short" | "bad" {
  if (start >= end) return "short";
  let at = start;
  let byte = bytes[at++] as number;
  header.code = (byte >> 4) & 7;
  let size = byte & 15;
  for (let scale = 16; byte & 0x80; scale *= 128) {
    if (at >= end) return "short";
    byte = bytes[at++] as number;
    size += (byte & 0x7f) * scale;
    if (scale > 2 ** 46) return "bad";
  }
  header.size = size;
  if (header.code === ofsDeltaCode) {
    if (at >= end) return "short";
    byte = bytes[at++] as number;
    let distance = byte & 0x7f;
    while (byte & 0x80) {
      if (at >= end) return "short";
      byte = bytes[at++] as number;
      distance = (distance + 1) * 128 + (byte & 0x7f);
      if (distance > Number.MAX_SAFE_INTEGER) return "bad";
    }
    header.baseDistance = distance;
  } else if (header.code === refDeltaCode) {
    header.baseIdAt = at;
    at += idBytes;
    if (at > end) return "short";
  } else if (header.code === 0 || header.code === 5) return "bad";
  header.dataAt = at;
  return "ok";
}

/** Writes type and size at `at`; answers where they end. */
export function writeEntryHeader(target: Uint8Array, start: number, code: number, size: number): number {
  let at = start;
  let rest = Math.floor(size / 16);
  target[at++] = (rest > 0 ? 0x80 : 0) | (code << 4) | (size % 16);
  while (rest > 0) {
    const low = rest % 128;
    rest = Math.floor(rest / 128);
    target[at++] = (rest > 0 ? 0x80 : 0) | low;
  }
  return at;
}

/** Writes the distance of an ofs-delta at `at`; answers where it ends. */
export function writeBaseDistance(target: Uint8Array, start: number, distance: number): number {
  let length = 1;
  for (let rest = Math.floor(distance / 128); rest > 0; rest = Math.floor((rest - 1) / 128)) length++;
  let rest = distance;
  for (let at = start + length - 1; at >= start; at--) {
    target[at] = (rest % 128) | (at === start + length - 1 ? 0 : 0x80);
    rest = Math.floor(rest / 128) - 1;
  }
  return start + length;
}
