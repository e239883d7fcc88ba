import { type ObjectFormat, type ObjectId, objectIdBytes } from "./object-format.ts";
import type { ObjectType } from "./object-type.ts";

/** The modes git writes today. */
export const fileMode = 0o100644;
export const executableMode = 0o100755;
export const symlinkMode = 0o120000;
export const directoryMode = 0o040000;
export const gitlinkMode = 0o160000;

/** One entry of a tree. */
export interface TreeEntry {
  /** As stored; old trees hold 100664 and other permissions: `canonicalMode` maps them. */
  mode: number;
  /** Raw bytes, one character each (latin1): exact for any name. `entryName` gives text. */
  path: string;
  id: ObjectId;
}

/** A name as text: UTF-8, or latin1 when it is not valid UTF-8. */
export function entryName(path: string): string {
  const bytes = Buffer.from(path, "latin1");
  const text = bytes.toString("utf8");
  return text.includes("\ufffd") && !Buffer.from(text, "utf8").equals(bytes) ? path : text;
}

/** Text as the raw bytes of a name. */
export const entryPath = (name: string): string => Buffer.from(name, "utf8").toString("latin1");

/** The kind of object that an entry's mode announces; gitlinks name a commit of another repository. */
export function typeOfMode(mode: number): ObjectType {
  const kind = mode & 0o170000;
  if (kind === directoryMode) return "tree";
  return kind === gitlinkMode ? "commit" : "blob";
}

/** The mode git would write for an entry today. */
export function canonicalMode(mode: number): number {
  const kind = mode & 0o170000;
  if (kind === 0o100000) return mode & 0o100 ? executableMode : fileMode;
  return kind === symlinkMode || kind === directoryMode ? kind : gitlinkMode;
}

/** Reads a tree. Throws when it is cut short or a mode is not octal; accepts everything readable. */
export const parseTree = (format: ObjectFormat, data: Buffer): TreeEntry[] => [...entriesOf(format, data)];

/** The same, entry by entry: a tree may have a million. */
export function* entriesOf(format: ObjectFormat, data: Buffer): Generator<TreeEntry> {
  const idBytes = objectIdBytes(format);
  let at = 0;
  while (at < data.length) {
    const gap = data.indexOf(0x20, at);
    const end = gap < 0 ? -1 : data.indexOf(0, gap);
    if (end < 0 || end + 1 + idBytes > data.length) throw new Error("tree is cut short");
    const mode = data.toString("latin1", at, gap);
    if (!/^[0-7]+$/.test(mode)) throw new Error("tree with a mode that is not octal");
    yield {
      mode: Number.parseInt(mode, 8),
      path: data.toString("latin1", gap + 1, end),
      id: data.toString("hex", end + 1, end + 1 + idBytes),
    };
    at = end + 1 + idBytes;
  }
}

/** Git's order of entries: by bytes, a directory as if its name ended in a slash. */
export function compareEntries(left: TreeEntry, right: TreeEntry): number {
  const leftKey = sortKey(left);
  const rightKey = sortKey(right);
  if (leftKey === rightKey) return 0;
  return leftKey < rightKey ? -1 : 1;
}

/** What git sorts an entry by. */
export const sortKey = (entry: TreeEntry): string =>
  typeOfMode(entry.mode) === "tree" ? `${entry.path}/` : entry.path;

/** The bytes of a tree; entries may come in any order. */
export function serializeTree(entries: readonly TreeEntry[]): Buffer {
  const parts: Buffer[] = [];
  for (const entry of entries.toSorted(compareEntries)) {
    parts.push(
      Buffer.from(`${entry.mode.toString(8)} ${entry.path}\0`, "latin1"),
      Buffer.from(entry.id, "hex"),
    );
  }
  return Buffer.concat(parts);
}
