import { type ArchivedFile, type ArchiveEntry, piecesOf } from "./archive-entry.ts";

/** The head of an archive. */
export interface ArchiveHead {
  /** The archived commit, as the archive's comment; absent for a bare tree. */
  readonly comment?: string | undefined;
  /** Time of every member, in seconds. */
  readonly seconds: number;
}

const recordBytes = 512;
const blockBytes = 20 * recordBytes;
const nameBytes = 100;
const prefixBytes = 155;
const largestTime = 0o77777777777;

const modes = { folder: 0o775, file: 0o664, executable: 0o775, symlink: 0o777 } as const;
const kinds = { folder: "5", file: "0", executable: "0", symlink: "2" } as const;

interface Header {
  readonly name: string;
  readonly prefix?: string;
  readonly link?: string;
  readonly mode: number;
  readonly sizeBytes: number;
  readonly kind: string;
}

/**
 * A tar in the pax form, byte for byte as `git archive --format=tar` writes it: a global comment with the commit, and
 * extended headers for names that don't fit the old fields. Names are bytes, whatever their encoding.
 */
export async function* tarOf(
  entries: AsyncIterable<ArchiveEntry>,
  { comment, seconds }: ArchiveHead,
): AsyncGenerator<Uint8Array> {
  const time = Math.min(seconds, largestTime);
  let offset = 0;
  const counted = <T extends Uint8Array>(bytes: T): T => {
    offset += bytes.length;
    return bytes;
  };
  const globals = [
    ...(comment === undefined ? [] : [paxRecord("comment", comment)]),
    ...(seconds > largestTime ? [paxRecord("mtime", String(seconds))] : []),
  ].join("");
  if (globals !== "") {
    const head = { name: "pax_global_header", mode: 0o666, sizeBytes: globals.length, kind: "g" };
    yield counted(Buffer.concat([headerOf(head, time), padded(globals)]));
  }
  for await (const entry of entries) {
    yield counted(entryHeader(entry, time));
    if (entry.kind === "folder" || entry.kind === "symlink") continue;
    for await (const piece of piecesOf(entry.content)) yield counted(piece);
    yield counted(Buffer.alloc(-entry.sizeBytes & (recordBytes - 1)));
  }
  const tail = blockBytes - (offset % blockBytes);
  yield Buffer.alloc(tail < 2 * recordBytes ? tail + blockBytes : tail);
}

function entryHeader(entry: ArchiveEntry, time: number): Buffer {
  const { path, kind } = entry;
  const link = entry.kind === "symlink" ? linkTarget(entry) : "";
  const names = namesOf(path, entry.id);
  const isLongLink = link.length > nameBytes;
  const extended =
    (names.isLong ? paxRecord("path", path) : "") + (isLongLink ? paxRecord("linkpath", link) : "");
  const header = headerOf(
    {
      ...names,
      link: isLongLink ? `see ${entry.id}.paxheader` : link,
      mode: modes[kind],
      sizeBytes: entry.kind === "file" || entry.kind === "executable" ? entry.sizeBytes : 0,
      kind: kinds[kind],
    },
    time,
  );
  if (extended === "") return header;
  const before = { name: `${entry.id}.paxheader`, mode: 0o666, sizeBytes: extended.length, kind: "x" };
  return Buffer.concat([headerOf(before, time), padded(extended), header]);
}

/** The target of a link; links are never large enough to come in pieces. */
function linkTarget({ content, path }: ArchivedFile): string {
  if (content instanceof Uint8Array) return content.toString("latin1");
  throw new Error(`symbolic link ${path} is too large`);
}

/** The old fields have room for 100 bytes, and for 155 more before a slash. */
function namesOf(path: string, id: string): { name: string; prefix?: string; isLong: boolean } {
  if (path.length <= nameBytes) return { name: path, isLong: false };
  const end = Math.min(path.endsWith("/") ? path.length - 1 : path.length, prefixBytes);
  const slash = path.lastIndexOf("/", end - 1);
  const name = path.slice(slash + 1);
  if (slash > 0 && name.length <= nameBytes) return { name, prefix: path.slice(0, slash), isLong: false };
  return { name: `${id}.data`, isLong: true };
}

/** `<length> <key>=<value>\n`; the length counts its own digits. */
function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  let length = rest.length;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  return `${length}${rest}`;
}

function padded(text: string): Buffer {
  const bytes = Buffer.alloc(Math.ceil(text.length / recordBytes) * recordBytes);
  bytes.write(text, "latin1");
  return bytes;
}

function headerOf(header: Header, time: number): Buffer {
  const bytes = Buffer.alloc(recordBytes);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, "0");
  bytes.write(header.name, 0, "latin1");
  bytes.write(`${octal(header.mode, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0`, 100, "latin1");
  bytes.write(`${octal(header.sizeBytes, 11)}\0${octal(time, 11)}\0`, 124, "latin1");
  bytes.write(`        ${header.kind}`, 148, "latin1");
  bytes.write(header.link ?? "", 157, "latin1");
  bytes.write("ustar\x0000root", 257, "latin1");
  bytes.write("root", 297, "latin1");
  bytes.write(`${octal(0, 7)}\0${octal(0, 7)}\0`, 329, "latin1");
  bytes.write(header.prefix ?? "", 345, "latin1");
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  bytes.write(`${octal(sum, 7)}\0`, 148, "latin1");
  return bytes;
}
