import { emptyTreeId, type ObjectId } from "../object/object-format.ts";
import { directoryMode, parseTree, serializeTree, type TreeEntry } from "../object/tree.ts";
import { manySteps } from "../pacer.ts";
import type { History } from "../walk/history.ts";
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
  }
  return (await writeFolder(history, tree, root)) ?? history.add("tree", Buffer.alloc(0));
}

async function writeFolder(
  history: History,
  tree: ObjectId | undefined,
  edits: Folder,
): Promise<ObjectId | undefined> {
  await history.pace(manySteps);
  const entries = new Map<string, TreeEntry>();
  if (tree !== undefined && tree !== emptyTreeId(history.format)) {
    for (const entry of parseTree(history.format, await history.tree(tree))) entries.set(entry.path, entry);
  }
  for (const [path, version] of edits.files) {
    if (version !== undefined) entries.set(path, { path, ...version });
    else if (entries.get(path)?.mode !== directoryMode) entries.delete(path);
  }
  for (const [path, folder] of edits.folders) {
    const before = entries.get(path);
    const below = before?.mode === directoryMode ? before.id : undefined;
    const id = await writeFolder(history, below, folder);
    if (id !== undefined) entries.set(path, { path, mode: directoryMode, id });
    else if (before?.mode === directoryMode) entries.delete(path);
  }
  if (entries.size === 0) return undefined;
  return history.add("tree", serializeTree([...entries.values()]));
}
