import { crc32 } from "node:zlib";

/** One thing of a column: an entry, or the text of one. */
export interface ColumnRow {
  readonly id: number;
  readonly bytes: Uint8Array;
}

const format = 1;
const at = { format: 0, first: 1, count: 5, check: 7, rows: 11 } as const;
const idBytes = 2;

/** The start of a column's first row: 16 bits of the id's distance from `first`, then the packed thing. */
export const rowsAt: number = at.rows;
/** The length of a row beyond its packed content. */
export const rowHeadBytes: number = idBytes;

/** Packs rows, ids rising from `first` on, at most 65,535 of them: format, first id, count, checksum, rows. */
export function encodeColumn(first: number, rows: readonly ColumnRow[]): Buffer {
  const size = rows.reduce((sum, row) => sum + idBytes + row.bytes.length, rowsAt);
  const column = Buffer.allocUnsafeSlow(size);
  column[at.format] = format;
  column.writeUInt32BE(first, at.first);
  column.writeUInt16BE(rows.length, at.count);
  let place = rowsAt;
  for (const { id, bytes } of rows) {
    place = column.writeUInt16BE(id - first, place);
    column.set(bytes, place);
    place += bytes.length;
  }
  column.writeUInt32BE(crc32(column.subarray(at.rows)), at.check);
  return column;
}

/** Why bytes are no column that this code can read, starting at `first`; undefined when they are one. */
export function columnProblem(column: Buffer, first: number): string | undefined {
  if (column.length < at.rows) return "too short";
  if (column[at.format] !== format) return `unknown format ${column[at.format]}`;
  if (column.readUInt32BE(at.first) !== first) return "another segment's content";
  if (column.readUInt32BE(at.check) !== crc32(column.subarray(at.rows))) return "checksum does not hold";
  return undefined;
}

/** How many rows a column has. */
export const rowCount = (column: Buffer): number => column.readUInt16BE(at.count);
