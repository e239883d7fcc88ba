import { manySteps } from "../../concurrency/pacer.ts";
import { type ObjectId, objectIdBytes } from "../format/object-format.ts";
import { compareEntries, directoryMode, serializeTree, sortKey, type TreeEntry } from "../format/tree.ts";
import type { History } from "../history/history.ts";
import { entryAt, kindOf } from "../history/tree-links.ts";
import type { Version } from "./merge-file.ts";

/** Files to put into a tree, by path (raw bytes, latin1); undefined removes one. */
export type TreeEdits = ReadonlyMap<string, Version | undefined>;

interface Folder {
  readonly files: Map<string, Version | undefined>;
  readonly folders: Map<string, Folder>;
}

const newFolder = (): Folder => ({ files: new Map(), folders: new Map() });

/**
 * The tree after some edits; it reads and writes only folders that change, and removes empty ones. A file replaces a
 * folder at its path, and a folder a file.
 */
export async function editTree(
  history: History,
  tree: ObjectId | undefined,
  edits: TreeEdits,
): Promise<ObjectId> {
  const root = newFolder();
  for (const [path, version] of edits) {
    const names = path.split("/");
    const name = names.pop() as string;
    let folder = root;
    for (const step of names) {
      let next = folder.folders.get(step);
      if (next === undefined) {
        next = newFolder();
        folder.folders.set(step, next);
      }
      folder = next;
    }
    folder.files.set(name, version);
    const pause = history.pace(1 + names.length);
    if (pause !== undefined) await pause;
  }
  return (await writeFolder(history, tree, root)) ?? history.add("tree", Buffer.alloc(0));
}

async function writeFolder(
  history: History,
  tree: ObjectId | undefined,
  edits: Folder,
): Promise<ObjectId | undefined> {
  await history.pace(manySteps);
  const folder = await readFolder(history, tree, new Set([...edits.files.keys(), ...edits.folders.keys()]));
  const changed = new Map<string, TreeEntry | undefined>();
  const entryOf = (path: string) => (changed.has(path) ? changed.get(path) : folder.entries.get(path));
  for (const [path, version] of edits.files) {
    if (version !== undefined) changed.set(path, { path, ...version });
    else if (entryOf(path)?.mode !== directoryMode) changed.set(path, undefined);
  }
  for (const [path, below] of edits.folders) {
    const before = entryOf(path);
    const id = await writeFolder(history, before?.mode === directoryMode ? before.id : undefined, below);
    if (id !== undefined) changed.set(path, { path, mode: directoryMode, id });
    else if (before?.mode === directoryMode) changed.set(path, undefined);
  }
  const data = withEntries(folder, changed);
  return data.length === 0 ? undefined : history.add("tree", data);
}

/** A tree's bytes, and what is known of some names in it. */
interface ReadFolder {
  readonly data: Buffer;
  readonly entries: ReadonlyMap<string, TreeEntry & { readonly start: number; readonly end: number }>;
  /** By sort key: where an entry belongs. */
  readonly places: ReadonlyMap<string, number>;
}

/** Looks for some names in a folder, which may have a million others: those stay bytes. */
async function readFolder(
  history: History,
  tree: ObjectId | undefined,
  names: ReadonlySet<string>,
): Promise<ReadFolder> {
  const data = tree === undefined ? Buffer.alloc(0) : await history.tree(tree);
  const idBytes = objectIdBytes(history.format);
  const wanted = [...names].flatMap((name) => [name, `${name}/`]).sort();
  const entries = new Map<string, TreeEntry & { start: number; end: number }>();
  const places = new Map<string, number>();
  let next = 0;
  for (let at = 0; at < data.length && next < wanted.length; ) {
    const span = entryAt(data, at, idBytes);
    const path = data.toString("latin1", span.nameStart, span.nameEnd);
    const key = kindOf(data, span) === directoryMode ? `${path}/` : path;
    for (; next < wanted.length && (wanted[next] as string) <= key; next++) {
      places.set(wanted[next] as string, at);
      if (wanted[next] !== key) continue;
      const mode = Number.parseInt(data.toString("latin1", at, span.nameStart - 1), 8);
      entries.set(path, { ...span, path, mode, id: data.toString("hex", span.idStart, span.end) });
    }
    at = span.end;
    const pause = history.pace();
    if (pause !== undefined) await pause;
  }
  return { data, entries, places };
}

/** The bytes of a folder after some of its entries changed, or went. */
function withEntries(
  { data, entries, places }: ReadFolder,
  changed: ReadonlyMap<string, TreeEntry | undefined>,
): Buffer {
  const fresh = [...changed.values()].filter((entry) => entry !== undefined).sort(compareEntries);
  const steps = [
    ...fresh.map((entry) => {
      const place = places.get(sortKey(entry)) ?? data.length;
      return { start: place, end: place, bytes: serializeTree([entry]) };
    }),
    ...[...changed.keys()].flatMap((path) => entries.get(path) ?? []),
  ].sort((one, other) => one.start - other.start || one.end - other.end);
  const parts: Buffer[] = [];
  let at = 0;
  for (const step of steps) {
    parts.push(data.subarray(at, step.start));
    if ("bytes" in step) parts.push(step.bytes);
    at = step.end;
  }
  return Buffer.concat([...parts, data.subarray(at)]);
}
