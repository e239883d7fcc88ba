import { type ObjectFormat, type ObjectId, objectIdBytes } from "../format/object-format.ts";
import { ByteReader, ByteWriter } from "./byte-writer.ts";
import { decodeRefName, encodeRefName } from "./ref-name.ts";
import { truncatedUtf8 } from "./truncated-utf8.ts";

/** What lists of branches show of a branch's commit, kept beside the ref (behavior 12). */
export interface BranchRecord {
  /** First line of the message, at most 255 bytes. */
  readonly subject: string;
  readonly author: { readonly name: string; readonly email: string };
  /** Committer date: seconds since the epoch and a zone such as `+0130`. */
  readonly committedSeconds: number;
  readonly committedZone: string;
}

/** One ref after a push; `old` is absent for a created ref, `new` for a deleted one. */
export interface LoggedChange {
  readonly name: string;
  readonly old?: ObjectId;
  readonly new?: ObjectId;
  /** The object that an annotated tag leads to. */
  readonly peeled?: ObjectId;
  readonly record?: BranchRecord;
}

/** A push in the log. */
export interface LoggedPush {
  /** Tells this push from a rival's after a lost answer: 16 hexadecimal digits. */
  readonly pushId: string;
  readonly pusherId: number;
  readonly timeMs: number;
  /** Packs that came with it. */
  readonly packIds: readonly string[];
  readonly changes: readonly LoggedChange[];
}

/** A chunk read back: a part of a push, and the number of parts. */
export interface LogChunk extends LoggedPush {
  readonly chunk: number;
  readonly chunks: number;
}

const formatByte = 1;
const idBytes = 8;
const has = { old: 1, new: 2, peeled: 4, record: 8 } as const;
/** The most bytes of a chunk's changes, so that its item stays below DynamoDB's 400 KB. */
export const logChunkBytes = 380_000;

/** Packs one change; absent members take no room. */
export function writeChange(writer: ByteWriter, change: LoggedChange): void {
  const { old, peeled, record } = change;
  const flags =
    (old === undefined ? 0 : has.old) |
    (change.new === undefined ? 0 : has.new) |
    (peeled === undefined ? 0 : has.peeled) |
    (record === undefined ? 0 : has.record);
  writer.u8(flags).counted(encodeRefName(change.name));
  for (const id of [old, change.new, peeled]) if (id !== undefined) writer.hex(id);
  if (record === undefined) return;
  writer.counted(truncatedUtf8(record.subject, 255));
  writer.counted(truncatedUtf8(record.author.name, 255)).counted(truncatedUtf8(record.author.email, 255));
  writer.f64(record.committedSeconds).counted(truncatedUtf8(record.committedZone, 8));
}

/** Reads a change packed by `writeChange`. */
export function readChange(reader: ByteReader, bytesOfId: number): LoggedChange {
  const flags = reader.u8();
  const name = decodeRefName(reader.counted());
  const text = () => reader.counted().toString("utf8");
  return {
    name,
    ...(flags & has.old ? { old: reader.hex(bytesOfId) } : {}),
    ...(flags & has.new ? { new: reader.hex(bytesOfId) } : {}),
    ...(flags & has.peeled ? { peeled: reader.hex(bytesOfId) } : {}),
    ...(flags & has.record
      ? {
          record: {
            subject: text(),
            author: { name: text(), email: text() },
            committedSeconds: reader.f64(),
            committedZone: text(),
          },
        }
      : {}),
  };
}

/** A push as the chunks of its log item, each at most about 380 KB. */
export function encodeLog(format: ObjectFormat, push: LoggedPush): Buffer[] {
  const parts: { writer: ByteWriter; count: number }[] = [];
  let part = { writer: new ByteWriter(), count: 0 };
  for (const change of push.changes) {
    writeChange(part.writer, change);
    part.count += 1;
    if (part.writer.length < logChunkBytes - 4096) continue;
    parts.push(part);
    part = { writer: new ByteWriter(), count: 0 };
  }
  if (part.count > 0 || parts.length === 0) parts.push(part);
  return parts.map(({ writer, count }, chunk) => {
    const header = new ByteWriter(64).u8(formatByte).u8(format === "sha1" ? 1 : 2);
    header.u16(chunk).u16(parts.length).hex(push.pushId).f64(push.pusherId).f64(push.timeMs);
    header.u8(push.packIds.length);
    for (const id of push.packIds) header.hex(id);
    return Buffer.concat([header.u32(count).finish(), writer.finish()]);
  });
}

/** Reads one chunk. Throws when it is damaged or of a newer format. */
export function decodeLogChunk(bytes: Uint8Array): LogChunk {
  const reader = new ByteReader(bytes);
  const format = reader.u8();
  if (format !== formatByte) throw new Error(`ref log of unknown format ${format}`);
  const bytesOfId = objectIdBytes(reader.u8() === 1 ? "sha1" : "sha256");
  const [chunk, chunks] = [reader.u16(), reader.u16()];
  const pushId = reader.hex(idBytes);
  const [pusherId, timeMs] = [reader.f64(), reader.f64()];
  const packIds = Array.from({ length: reader.u8() }, () => reader.hex(idBytes));
  const changes = Array.from({ length: reader.u32() }, () => readChange(reader, bytesOfId));
  return { chunk, chunks, pushId, pusherId, timeMs, packIds, changes };
}
