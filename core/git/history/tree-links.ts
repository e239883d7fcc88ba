import { directoryMode, gitlinkMode } from "../format/tree.ts";

/** The place of one entry in a tree's bytes. */
export interface EntrySpan {
  readonly start: number;
  readonly nameStart: number;
  readonly nameEnd: number;
  readonly idStart: number;
  readonly end: number;
}

const space = 0x20;

/** The entry that begins at `start`. Throws when the tree is cut short. */
export function entryAt(data: Buffer, start: number, idBytes: number): EntrySpan {
  let gap = start;
  while (data[gap] !== space && gap < data.length) gap += 1;
  const nameEnd = data.indexOf(0, gap);
  const end = nameEnd + 1 + idBytes;
  if (nameEnd < 0 || end > data.length) throw new Error("tree is cut short");
  return { start, nameStart: gap + 1, nameEnd, idStart: nameEnd + 1, end };
}

/** `directoryMode`, `gitlinkMode`, or 0 for the mode of a blob. */
export function kindOf(data: Buffer, { start, nameStart }: EntrySpan): number {
  let mode = 0;
  for (let at = start; at < nameStart - 1; at++) mode = mode * 8 + (data[at] as number) - 0x30;
  const kind = mode & 0o170000;
  return kind === directoryMode || kind === gitlinkMode ? kind : 0;
}

/** The trees and blobs that a tree names; commits of other repositories are no objects of this one. */
export function* treeLinks(
  data: Buffer,
  idBytes: number,
): Generator<{ readonly kind: "tree" | "blob"; readonly id: Buffer }> {
  for (let at = 0; at < data.length; ) {
    const entry = entryAt(data, at, idBytes);
    at = entry.end;
    const kind = kindOf(data, entry);
    if (kind === gitlinkMode) continue;
    yield { kind: kind === directoryMode ? "tree" : "blob", id: data.subarray(entry.idStart, at) };
  }
}
