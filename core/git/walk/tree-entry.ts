import { type ObjectFormat, type ObjectId, objectIdBytes } from "../object/object-format.ts";
import { canonicalMode, directoryMode } from "../object/tree.ts";
import type { History } from "./history.ts";

/** What a path leads to: mode as git would write it today, and the object (of a submodule, its commit). */
export interface FoundEntry {
  readonly mode: number;
  readonly id: ObjectId;
}

const space = 0x20;

/** The entry of a name (raw bytes, latin1) in a tree's bytes. Throws when the tree is cut short. */
export function entryOf(format: ObjectFormat, tree: Buffer, name: string): FoundEntry | undefined {
  const idBytes = objectIdBytes(format);
  const { length } = tree;
  for (let at = 0; at < length; ) {
    let mode = 0;
    for (; at < length && tree[at] !== space; at++) mode = mode * 8 + (tree[at] as number) - 0x30;
    const start = ++at;
    let equal = 0;
    for (; at < length && tree[at] !== 0; at++) {
      if (equal === at - start && tree[at] === name.charCodeAt(equal)) equal += 1;
    }
    const end = at + 1 + idBytes;
    if (end > length) throw new Error("tree is cut short");
    if (equal === name.length && at - start === equal) {
      return { mode: canonicalMode(mode), id: tree.toString("hex", at + 1, end) };
    }
    at = end;
  }
  return undefined;
}

/** The names of a path (raw bytes, latin1); none for the root. */
export const namesOf = (path: string): string[] => path.split("/").filter((name) => name !== "");

/**
 * What a path leads to in a tree; the tree itself for the empty path. Undefined where there is nothing, also below a
 * file or a submodule.
 */
export function findEntry(
  history: History,
  tree: ObjectId,
  path: string,
): FoundEntry | undefined | Promise<FoundEntry | undefined> {
  return descend(history, { mode: directoryMode, id: tree }, namesOf(path), 0);
}

function descend(
  history: History,
  from: FoundEntry,
  names: readonly string[],
  depth: number,
): FoundEntry | undefined | Promise<FoundEntry | undefined> {
  let entry: FoundEntry | undefined = from;
  for (let level = depth; level < names.length; level++) {
    if (entry === undefined || entry.mode !== directoryMode) return undefined;
    const name = names[level] as string;
    const tree = history.tree(entry.id);
    if (tree instanceof Promise) {
      return tree.then((data) => {
        const next = entryOf(history.format, data, name);
        return next === undefined ? undefined : descend(history, next, names, level + 1);
      });
    }
    entry = entryOf(history.format, tree, name);
  }
  return entry;
}
