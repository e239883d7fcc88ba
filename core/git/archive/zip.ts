import { isUtf8 } from "node:buffer";
import { promisify } from "node:util";
import { crc32, createDeflateRaw, deflateRawSync, deflateRaw as deflateRawWith } from "node:zlib";
import type { ArchivedFile, ArchiveEntry } from "./archive-entry.ts";
import { pipeThrough } from "./pipe-through.ts";
import type { ArchiveHead } from "./tar.ts";

const deflateRaw = promisify(deflateRawWith) as (data: Uint8Array) => Promise<Buffer>;

/** Small contents are packed faster than another thread is asked to. */
const deflatedBytes = (content: Buffer): Buffer | Promise<Buffer> =>
  content.length <= 64 * 1024 ? deflateRawSync(content) : deflateRaw(content);

const stored = 0;
const deflated = 8;
const sizesFollow = 0x0008;
const nameIsUtf8 = 0x0800;
const directoryBlockBytes = 64 * 1024;
const most16 = 0xffff;
const most32 = 0xffffffff;
const unixCreator = 0x0317;
const folderAttribute = 16;

/** A member in the central directory. */
interface Member {
  readonly name: Buffer;
  readonly flags: number;
  readonly method: number;
  readonly offset: number;
  readonly isText: boolean;
  readonly attributes: number;
  crc: number;
  storedBytes: number;
  sizeBytes: number;
}

/**
 * A zip with what `git archive --format=zip` says of its members: modes of executables and links, times, the commit as
 * its comment. Large files are deflated as they come, with their sizes behind them; ZIP64 when sizes, offsets or counts
 * need it.
 */
export async function* zipOf(
  entries: AsyncIterable<ArchiveEntry>,
  head: ArchiveHead,
): AsyncGenerator<Uint8Array> {
  const zip = new ZipWriter(head);
  for await (const entry of entries) yield* zip.add(entry);
  yield* zip.directory();
}

class ZipWriter {
  readonly #head: ArchiveHead;
  /** In blocks: a buffer for each member would take more memory than its content. */
  readonly #directory: Buffer[] = [];
  #lines: Buffer[] = [];
  #lineBytes = 0;
  readonly #times: Buffer;
  readonly #extra: Buffer;
  #count = 0;
  #offset = 0;

  constructor(head: ArchiveHead) {
    this.#head = head;
    this.#times = dosTime(head.seconds);
    // "UT": the time in seconds; the other form has a resolution of two seconds and no zone.
    this.#extra = Buffer.from("UT\x05\0\x01\0\0\0\0", "latin1");
    this.#extra.writeUInt32LE(Math.min(Math.max(head.seconds, 0), most32), 5);
  }

  async *add(entry: ArchiveEntry): AsyncGenerator<Uint8Array> {
    const whole = entry.kind === "folder" ? Buffer.alloc(0) : entry.content;
    if (whole instanceof Uint8Array) yield* this.#addWhole(entry, whole);
    else yield* this.#addStreamed(entry as ArchivedFile, whole);
  }

  async *#addWhole(entry: ArchiveEntry, content: Buffer): AsyncGenerator<Uint8Array> {
    const isPacked = (entry.kind === "file" || entry.kind === "executable") && content.length > 0;
    const packed = isPacked ? await deflatedBytes(content) : content;
    const isSmaller = packed.length < content.length;
    const body = isSmaller ? packed : content;
    const member = this.#member(entry, { flags: 0, method: isSmaller ? deflated : stored });
    member.crc = crc32(content);
    member.storedBytes = body.length;
    member.sizeBytes = content.length;
    yield this.#counted(this.#localHeader(member));
    if (body.length > 0) yield this.#counted(body);
    this.#list(member);
  }

  /**
   * Objects are below 4 GiB, and deflate enlarges incompressible data only a little: only a near miss needs wide sizes.
   */
  async *#addStreamed(entry: ArchivedFile, pieces: AsyncIterable<Buffer>): AsyncGenerator<Uint8Array> {
    const member = this.#member(entry, { flags: sizesFollow, method: deflated });
    yield this.#counted(this.#localHeader(member));
    for await (const piece of deflatedPieces(checked(pieces, member))) {
      member.storedBytes += piece.length;
      yield this.#counted(piece);
    }
    if (member.storedBytes > most32) throw new Error(`file ${entry.path} is too large for a zip`);
    const sizes = Buffer.from("PK\x07\x08\0\0\0\0\0\0\0\0\0\0\0\0", "latin1");
    writeSizes(sizes, 4, member);
    yield this.#counted(sizes);
    this.#list(member);
  }

  #member(entry: ArchiveEntry, how: { flags: number; method: number }): Member {
    const name = Buffer.from(entry.path, "latin1");
    if (name.length > most16) throw new Error("a path of more than 65,535 bytes fits in no zip");
    const isPlain = name.every((byte) => byte < 0x80);
    const flags = how.flags | (!isPlain && isUtf8(name) ? nameIsUtf8 : 0);
    const isText = entry.kind !== "folder" && entry.isText;
    const empty = { crc: 0, storedBytes: 0, sizeBytes: 0, isText };
    return { ...empty, ...how, name, flags, offset: this.#offset, attributes: attributesOf(entry) };
  }

  #counted<T extends Uint8Array>(bytes: T): T {
    this.#offset += bytes.length;
    return bytes;
  }

  #localHeader(member: Member): Buffer {
    const header = Buffer.alloc(30);
    header.write("PK\x03\x04", "latin1");
    header.writeUInt16LE(member.flags & sizesFollow ? 20 : 10, 4);
    this.#writeCommon(header, 6, member);
    return Buffer.concat([header, member.name, this.#extra]);
  }

  #writeCommon(header: Buffer, at: number, member: Member): void {
    header.writeUInt16LE(member.flags, at);
    header.writeUInt16LE(member.method, at + 2);
    this.#times.copy(header, at + 4);
    writeSizes(header, at + 8, member);
    header.writeUInt16LE(member.name.length, at + 20);
    header.writeUInt16LE(this.#extra.length, at + 22);
  }

  /** The member's line in the central directory; an offset beyond 4 GiB moves to an extra field. */
  #list(member: Member): void {
    const isFar = member.offset >= most32;
    const wide = isFar ? Buffer.from("\x01\0\x08\0\0\0\0\0\0\0\0\0", "latin1") : Buffer.alloc(0);
    if (isFar) wide.writeBigUInt64LE(BigInt(member.offset), 4);
    const header = Buffer.alloc(46);
    header.write("PK\x01\x02", "latin1");
    header.writeUInt16LE(member.attributes > folderAttribute ? unixCreator : 0, 4);
    header.writeUInt16LE(isFar ? 45 : member.flags & sizesFollow ? 20 : 10, 6);
    this.#writeCommon(header, 8, member);
    header.writeUInt16LE(this.#extra.length + wide.length, 30);
    header.writeUInt16LE(member.isText ? 1 : 0, 36);
    header.writeUInt32LE(member.attributes, 38);
    header.writeUInt32LE(isFar ? most32 : member.offset, 42);
    this.#lines.push(header, member.name, this.#extra, wide);
    this.#lineBytes += header.length + member.name.length + this.#extra.length + wide.length;
    if (this.#lineBytes > directoryBlockBytes) this.#endBlock();
    this.#count += 1;
  }

  #endBlock(): void {
    this.#directory.push(Buffer.concat(this.#lines));
    this.#lines = [];
    this.#lineBytes = 0;
  }

  *directory(): Generator<Buffer> {
    this.#endBlock();
    yield* this.#directory;
    const bytes = this.#directory.reduce((sum, { length }) => sum + length, 0);
    const comment = Buffer.from(this.#head.comment ?? "");
    const end = Buffer.alloc(22);
    end.write("PK\x05\x06", "latin1");
    end.writeUInt16LE(Math.min(this.#count, most16), 8);
    end.writeUInt16LE(Math.min(this.#count, most16), 10);
    end.writeUInt32LE(Math.min(bytes, most32), 12);
    end.writeUInt32LE(Math.min(this.#offset, most32), 16);
    end.writeUInt16LE(comment.length, 20);
    const isWide = this.#count >= most16 || bytes >= most32 || this.#offset >= most32;
    yield Buffer.concat([...(isWide ? this.#wideEnd(bytes) : []), end, comment]);
  }

  #wideEnd(directoryBytes: number): Buffer[] {
    const record = Buffer.alloc(56);
    record.write("PK\x06\x06", "latin1");
    record.writeBigUInt64LE(44n, 4);
    record.writeUInt16LE(45, 12);
    record.writeUInt16LE(45, 14);
    record.writeBigUInt64LE(BigInt(this.#count), 24);
    record.writeBigUInt64LE(BigInt(this.#count), 32);
    record.writeBigUInt64LE(BigInt(directoryBytes), 40);
    record.writeBigUInt64LE(BigInt(this.#offset), 48);
    const locator = Buffer.alloc(20);
    locator.write("PK\x06\x07", "latin1");
    locator.writeBigUInt64LE(BigInt(this.#offset + directoryBytes), 8);
    locator.writeUInt32LE(1, 16);
    return [record, locator];
  }
}

function writeSizes(bytes: Buffer, at: number, { crc, storedBytes, sizeBytes }: Member): void {
  bytes.writeUInt32LE(crc, at);
  bytes.writeUInt32LE(storedBytes, at + 4);
  bytes.writeUInt32LE(sizeBytes, at + 8);
}

function attributesOf({ kind }: ArchiveEntry): number {
  if (kind === "folder") return folderAttribute;
  if (kind === "symlink") return (0o120777 << 16) >>> 0;
  return kind === "executable" ? (0o100755 << 16) >>> 0 : 0;
}

/** Pieces as they pass; the member counts them and sums them up. */
async function* checked(pieces: AsyncIterable<Buffer>, member: Member): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    member.crc = crc32(piece, member.crc);
    member.sizeBytes += piece.length;
    yield piece;
  }
}

/** Pieces of a raw deflate stream. */
const deflatedPieces = (pieces: AsyncIterable<Buffer>): AsyncIterable<Buffer> =>
  pipeThrough(pieces, createDeflateRaw());

/** Date and time of the old form, in UTC, from 1980 on. */
function dosTime(seconds: number): Buffer {
  const date = new Date(Math.min(Math.max(seconds, earliest), latest) * 1000);
  const times = Buffer.alloc(4);
  const time = (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1);
  const day = ((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate();
  times.writeUInt16LE(time, 0);
  times.writeUInt16LE(day, 2);
  return times;
}

const earliest = Date.UTC(1980, 0, 1) / 1000;
const latest = Date.UTC(2107, 11, 31, 23, 59, 58) / 1000;
