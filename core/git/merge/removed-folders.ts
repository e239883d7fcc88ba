import type { ObjectId } from "../format/object-format.ts";
import { directoryMode } from "../format/tree.ts";
import type { History } from "../history/history.ts";
import { readEntries } from "../history/read-entries.ts";
import { type FolderFacts, folderOf } from "./folder-moves.ts";
import { isSame, type Stages } from "./merge-file.ts";

/** The facts about folders, before each side's renames are looked for. */
export async function folderFacts(
  history: History,
  trees: readonly [ours: ObjectId, theirs: ObjectId],
  stages: ReadonlyMap<string, Stages>,
): Promise<Record<1 | 2, FolderFacts>> {
  const removed = {
    1: await removedFolders(history, trees[0], stages, 1),
    2: await removedFolders(history, trees[1], stages, 2),
  };
  const wanted = { 1: new Set<string>(), 2: new Set<string>() };
  for (const [path, [base, ours, theirs]] of stages) {
    if (base !== undefined || (ours === undefined) === (theirs === undefined)) continue;
    const side = ours === undefined ? 1 : 2;
    const folder = folderOf(path);
    if (removed[side].has(folder)) wanted[side].add(folder);
  }
  const wantedOfBoth = new Set([...wanted[1], ...wanted[2]]);
  const factsOf = (side: 1 | 2): FolderFacts => {
    const isChanged = (path: string) => {
      const versions = stages.get(path) as Stages;
      return !isSame(versions[0], versions[3 - side]);
    };
    return { removed: removed[side], wanted: wanted[side], wantedOfBoth, isChanged };
  };
  return { 1: factsOf(1), 2: factsOf(2) };
}

/** Folders of the base that a side lacks: they held files that it lacks. */
async function removedFolders(
  history: History,
  tree: ObjectId,
  stages: ReadonlyMap<string, Stages>,
  side: 1 | 2,
): Promise<Set<string>> {
  const folders = new Map<string, ReadonlyMap<string, ObjectId> | undefined>();
  const read = async (id: ObjectId) => {
    const entries = await readEntries(history, id, ({ mode }) => mode === directoryMode);
    return new Map(entries.map((entry) => [entry.path, entry.id]));
  };
  const find = async (folder: string): Promise<ReadonlyMap<string, ObjectId> | undefined> => {
    if (folders.has(folder)) return folders.get(folder);
    const parent = folder === "" ? undefined : await find(folderOf(folder));
    const id = folder === "" ? tree : parent?.get(folder.slice(folder.lastIndexOf("/") + 1));
    const found = id === undefined ? undefined : await read(id);
    folders.set(folder, found);
    return found;
  };
  for (const [path, versions] of stages) {
    if (versions[0] !== undefined && versions[side] === undefined) await find(folderOf(path));
  }
  return new Set([...folders].filter(([, found]) => found === undefined).map(([folder]) => folder));
}
