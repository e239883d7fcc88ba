import { crc32, inflateRawSync } from "node:zlib";

/** A member of a zip, as its directory has it; names are latin1. */
export interface ZipMember {
  readonly name: string;
  readonly isUtf8: boolean;
  readonly dosTime: number;
  readonly extra: string;
  readonly isText: boolean;
  readonly madeByUnix: boolean;
  readonly attributes: number;
  readonly content: Buffer;
}

/** Reads a zip whole, ZIP64 counts and offsets included; throws where its parts contradict each other. */
export function readZip(zip: Buffer): { members: ZipMember[]; comment: string } {
  const end = zip.lastIndexOf("PK\x05\x06");
  const comment = zip.toString("latin1", end + 22);
  if (comment.length !== zip.readUInt16LE(end + 20)) throw new Error("the comment is of another length");
  let count = zip.readUInt16LE(end + 10);
  let at = zip.readUInt32LE(end + 16);
  if (count === 0xffff || at === 0xffffffff) {
    const wide = Number(zip.readBigUInt64LE(end - 20 + 8));
    count = Number(zip.readBigUInt64LE(wide + 32));
    at = Number(zip.readBigUInt64LE(wide + 48));
  }
  const members: ZipMember[] = [];
  for (let number = 0; number < count; number++) {
    if (zip.toString("latin1", at, at + 4) !== "PK\x01\x02") throw new Error("the directory is broken");
    const [nameBytes, extraBytes] = [zip.readUInt16LE(at + 28), zip.readUInt16LE(at + 30)];
    const name = zip.toString("latin1", at + 46, at + 46 + nameBytes);
    members.push({
      name,
      isUtf8: (zip.readUInt16LE(at + 8) & 0x800) !== 0,
      dosTime: zip.readUInt32LE(at + 12),
      extra: zip.toString("latin1", at + 46 + nameBytes, at + 46 + nameBytes + extraBytes),
      isText: zip.readUInt16LE(at + 36) === 1,
      madeByUnix: zip.readUInt16LE(at + 4) >> 8 === 3,
      attributes: zip.readUInt32LE(at + 38),
      content: contentAt(zip, at, name),
    });
    at += 46 + nameBytes + extraBytes + zip.readUInt16LE(at + 32);
  }
  return { members, comment };
}

function contentAt(zip: Buffer, at: number, name: string): Buffer {
  const local = zip.readUInt32LE(at + 42);
  if (zip.toString("latin1", local, local + 4) !== "PK\x03\x04")
    throw new Error(`${name} is not where it should be`);
  if (zip.toString("latin1", local + 30, local + 30 + name.length) !== name)
    throw new Error(`${name} has two names`);
  const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
  const stored = zip.subarray(start, start + zip.readUInt32LE(at + 20));
  const content = zip.readUInt16LE(at + 10) === 8 ? inflateRawSync(stored) : stored;
  if (content.length !== zip.readUInt32LE(at + 24)) throw new Error(`${name} is of another size`);
  if (crc32(content) !== zip.readUInt32LE(at + 16)) throw new Error(`${name} is damaged`);
  return content;
}
