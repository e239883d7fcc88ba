import { inflateSync } from "node:zlib";
import { applyDelta, readDeltaHeader } from "../../pack/delta.ts";
import { base85Alphabet } from "../patch/binary-patch.ts";
import type { PatchLines } from "./patch-lines.ts";

/** The new content of a binary file: a whole, or a delta against its old one. */
export interface BinaryPatch {
  readonly kind: "literal" | "delta";
  readonly data: Buffer;
  /** The first digits of the blob's id, if the patch has them. */
  readonly newId: string;
}

const digits = new Map([...base85Alphabet].map((digit, value) => [digit, value]));
const largest = 32 * 2 ** 20;

/** Bytes that the binary files of one patch may still become. */
export interface BinaryRoom {
  bytes: number;
}

/** The room of a whole patch. */
export const binaryRoom = (): BinaryRoom => ({ bytes: largest });

/** Reads both halves of a binary patch, of which the first leads forward; or says what is wrong with it. */
export function readBinaryPatch(lines: PatchLines, room: BinaryRoom, newId = ""): BinaryPatch | string {
  lines.next();
  const forward = readHalf(lines, room);
  if (forward === undefined)
    return "a binary patch that is damaged, or larger than 32 MiB with those before it";
  if (/^(literal|delta) \d+$/.test(lines.line)) skipHalf(lines);
  return { ...forward, newId };
}

/** The way back is not needed. */
function skipHalf(lines: PatchLines): void {
  while (!lines.isAtEnd && lines.line !== "") lines.next();
  lines.next();
}

function readHalf(lines: PatchLines, room: BinaryRoom): Pick<BinaryPatch, "kind" | "data"> | undefined {
  const [, kind, size] = /^(literal|delta) (\d{1,9})$/.exec(lines.next()) ?? [];
  if (kind === undefined || Number(size) > room.bytes) return undefined;
  room.bytes -= Number(size);
  const pieces: Buffer[] = [];
  while (!lines.isAtEnd && lines.line !== "") {
    const piece = readLine(lines.next());
    if (piece === undefined) return undefined;
    pieces.push(piece);
  }
  lines.next();
  const data = inflated(Buffer.concat(pieces), Number(size));
  return data === undefined ? undefined : { kind: kind as BinaryPatch["kind"], data };
}

/** A line: the number of its bytes, and the bytes as digits of base 85. */
function readLine(line: string): Buffer | undefined {
  const mark = line.charCodeAt(0);
  const length = mark > 0x60 ? mark - 0x60 + 26 : mark - 0x40;
  const groups = line.slice(1);
  if (length < 1 || length > 52 || groups.length !== Math.ceil(length / 4) * 5) return undefined;
  const bytes = Buffer.alloc(groups.length);
  for (let at = 0; at < groups.length; at += 5) {
    let value = 0;
    for (const digit of groups.slice(at, at + 5)) value = value * 85 + (digits.get(digit) ?? Number.NaN);
    if (!(value < 2 ** 32)) return undefined;
    bytes.writeUInt32BE(value, (at / 5) * 4);
  }
  return bytes.subarray(0, length);
}

function inflated(bytes: Buffer, size: number): Buffer | undefined {
  try {
    const data = inflateSync(bytes, { maxOutputLength: Math.max(size, 1) });
    return data.length === size ? data : undefined;
  } catch {
    return undefined; // cut short, damaged, or longer than it says
  }
}

/** The content after a binary patch; undefined when it does not fit the content before. */
export function applyBinary({ kind, data }: BinaryPatch, before: Buffer): Buffer | undefined {
  if (kind === "literal") return data;
  const header = readDeltaHeader(data, 0, data.length);
  if (header === undefined || header.baseSize !== before.length || header.resultSize > largest)
    return undefined;
  const after = Buffer.alloc(header.resultSize);
  const delta = { bytes: data, start: header.at, end: data.length };
  const base = { bytes: before, start: 0, end: before.length };
  return applyDelta(delta, base, { bytes: after, start: 0, end: after.length }) ? after : undefined;
}
