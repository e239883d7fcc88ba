import { crc32, deflateSync } from "node:zlib";

/** Cells a side; the right half mirrors the left. */
const cells = 5;
const cellPixels = 40;
const marginPixels = 20;
const side = cells * cellPixels + 2 * marginPixels;
const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
const background = [0xf0, 0xf0, 0xf0] as const;

/** The picture of an owner without one: a pattern that follows from a hash of 32 hexadecimal digits, as a PNG. */
export function identicon(hash: string): Buffer {
  const bytes = Buffer.from(hash, "hex");
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([1, 3], 8); // one bit for each pixel, which names a color of the palette
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("PLTE", Buffer.from([...background, ...colorOf(bytes)])),
    chunk("IDAT", deflateSync(pixelsOf(bytes))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** Rows of bits, each behind a byte that says that it is not filtered. */
function pixelsOf(bytes: Buffer): Buffer {
  const width = 1 + Math.ceil(side / 8);
  const rows = Buffer.alloc(width * side);
  for (let y = 0; y < side; y += 1) {
    for (let x = 0; x < side; x += 1) {
      const at = y * width + 1 + (x >> 3);
      if (isFilled(bytes, cellOf(x), cellOf(y))) rows[at] = (rows[at] ?? 0) | (0x80 >> (x & 7));
    }
  }
  return rows;
}

/** The cell of a pixel; outside of the grid for the margin. */
const cellOf = (pixel: number): number => Math.floor((pixel - marginPixels) / cellPixels);

function isFilled(bytes: Buffer, column: number, row: number): boolean {
  if (column < 0 || column >= cells || row < 0 || row >= cells) return false;
  const mirrored = Math.min(column, cells - 1 - column);
  return ((bytes[mirrored * cells + row] ?? 0) & 1) === 1;
}

/** One of the hues, dark enough to stand out. */
function colorOf(bytes: Buffer): number[] {
  const hue = ((bytes[15] ?? 0) / 256) * 6;
  return [5, 3, 1].map((shift) => {
    const k = (shift + hue) % 6;
    return Math.round(190 - 140 * Math.max(0, Math.min(k, 4 - k, 1)));
  });
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([ends.subarray(0, 4), named, ends.subarray(4)]);
}
