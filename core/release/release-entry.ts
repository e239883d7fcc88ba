import { flagsAt } from "../list-index/entry-kind.ts";
import { checkFormat, fit32, packFlags, searchText } from "../list-index/packing.ts";

/** The entry of a release in the list index. `createdAt` is whole seconds. */
export interface ReleaseEntry {
  readonly isDraft: boolean;
  readonly isPrerelease: boolean;
  readonly createdAt: number;
  /** Kept apart from the entry, for searches; not read back by `decode`. */
  readonly tagName?: string;
  readonly title?: string;
}

/** The format byte of entries. */
export const releaseFormat = 1;
const textFormat = 1;
/** Two texts of 255 characters. */
const mostTextBytes = 2 * 255 * 4 + 1;

/** Bits of the flags byte, beside `existsFlag`. */
export const releaseFlags = { draft: 2, prerelease: 4 } as const;

/** Offsets, in bytes: format, flags, then 32 bits each. */
export const releaseAt = { created: 2, version: 6, end: 10 } as const;

/** Packs an entry: 10 bytes. */
export function encodeRelease({ isDraft, isPrerelease, createdAt }: ReleaseEntry, version: number): Buffer {
  const bytes = Buffer.alloc(releaseAt.end);
  bytes[0] = releaseFormat;
  bytes[flagsAt] = packFlags(true, isDraft, isPrerelease);
  bytes.writeUInt32BE(fit32(createdAt), releaseAt.created);
  bytes.writeUInt32BE(version, releaseAt.version);
  return bytes;
}

/** Unpacks an entry, without its texts. Throws when its format is unknown. */
export function decodeRelease(bytes: Buffer, at: number): ReleaseEntry & { readonly version: number } {
  checkFormat(bytes, at, releaseFormat, "a release's entry");
  const flags = bytes.readUInt8(at + flagsAt);
  return {
    isDraft: (flags & releaseFlags.draft) !== 0,
    isPrerelease: (flags & releaseFlags.prerelease) !== 0,
    createdAt: bytes.readUInt32BE(at + releaseAt.created),
    version: bytes.readUInt32BE(at + releaseAt.version),
  };
}

/** Packs tag and title: format, length, both with a line's end between them. */
export function encodeReleaseText({ tagName = "", title = "" }: ReleaseEntry): Buffer {
  const text = searchText(`${tagName}\n${title}`, mostTextBytes);
  const head = Buffer.of(textFormat, 0, 0);
  head.writeUInt16BE(text.length, 1);
  return Buffer.concat([head, text]);
}

/** The text of an entry without tag and title. */
export const noReleaseText = Buffer.of(textFormat, 0, 0);

/** The place of the words in a packed text that begins at `at`, without `end`. */
export function wordsIn(bytes: Buffer, at: number): { readonly start: number; readonly end: number } {
  return { start: at + noReleaseText.length, end: at + noReleaseText.length + bytes.readUInt16BE(at + 1) };
}
