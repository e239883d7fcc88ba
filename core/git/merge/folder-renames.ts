import type { ObjectId } from "../format/object-format.ts";
import { directoryMode } from "../format/tree.ts";
import type { History } from "../history/history.ts";
import { findEntry } from "../history/tree-entry.ts";
import type { Conflict } from "./conflict.ts";
import { folderOf } from "./folder-moves.ts";
import { entryOfStages, type MergeEntry } from "./merge-entry.ts";
import type { Rename, TreeSides } from "./tree-sides.ts";

type Side = 1 | 2;

/** The state of a merge when renames are known and none is applied yet. */
export interface FolderRenameContext {
  readonly history: History;
  readonly trees: Readonly<Record<Side, ObjectId>>;
  readonly sides: TreeSides;
  readonly entries: Map<string, MergeEntry>;
  readonly conflicts: Conflict[];
}

/** The destinations of folders, by the side that moved them: where most of their files went. */
type Destinations = Readonly<Record<Side, ReadonlyMap<string, string>>>;

/**
 * Moves files that one side put into a folder that the other side renamed, each with a conflict that asks whether that
 * is meant: git's `merge.directoryRenames=conflict`. Answers the renames, with their final places.
 */
export async function followFolders(context: FolderRenameContext): Promise<readonly Rename[]> {
  const destinations = destinationsOf(context);
  if (destinations[1].size === 0 && destinations[2].size === 0) return context.sides.renames;
  const moved = new FolderFollowing(context, destinations);
  await moved.run(1);
  await moved.run(2);
  return context.sides.renames.map((rename) => {
    const to = moved.places.get(`${rename.side}:${rename.to}`);
    return to === undefined ? rename : { ...rename, to };
  });
}

/** The destinations of each side's folders; a folder that both sides moved stays. */
function destinationsOf({ sides, conflicts }: FolderRenameContext): Destinations {
  const [ours, theirs] = [sides.moves[1].destinations(), sides.moves[2].destinations()];
  for (const path of [...ours.split, ...theirs.split])
    conflicts.push({ kind: "directory rename split", path });
  const only = (own: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>) =>
    new Map([...own].filter(([folder]) => !other.has(folder)));
  return { 1: only(ours.to, theirs.to), 2: only(theirs.to, ours.to) };
}

class FolderFollowing {
  /** New paths, by side and the path that the side has. */
  readonly places = new Map<string, string>();
  readonly #context: FolderRenameContext;
  readonly #destinations: Destinations;
  /** By side and new path: the files that would come to lie there. */
  readonly #comers: Record<Side, Map<string, string[]>>;

  constructor(context: FolderRenameContext, destinations: Destinations) {
    this.#context = context;
    this.#destinations = destinations;
    this.#comers = { 1: this.#comersOf(1), 2: this.#comersOf(2) };
  }

  /** Files that a side has and the base has not, in order. */
  #addedBy(side: Side): string[] {
    const added = [...this.#context.sides.stages].filter(([, versions]) => !versions[0] && versions[side]);
    return added.map(([path]) => path).toSorted();
  }

  #comersOf(side: Side): Map<string, string[]> {
    const comers = new Map<string, string[]>();
    for (const path of this.#addedBy(side)) {
      const place = this.#placeOf(path, side)?.path;
      if (place === undefined) continue;
      const known = comers.get(place);
      if (known === undefined) comers.set(place, [path]);
      else known.push(path);
    }
    return comers;
  }

  /** The place of a side's file if it went with the innermost folder that the other side moved. */
  #placeOf(path: string, side: Side): { path: string; folder: string } | undefined {
    const destinations = this.#destinations[side === 1 ? 2 : 1];
    for (let from = folderOf(path); from !== ""; from = folderOf(from)) {
      const folder = destinations.get(from);
      if (folder === undefined) continue;
      return { folder, path: folder === "" ? path.slice(from.length + 1) : folder + path.slice(from.length) };
    }
    return undefined;
  }

  async run(side: Side): Promise<void> {
    const other = side === 1 ? 2 : 1;
    const told = new Set<string>();
    for (const path of this.#comers[side].size === 0 ? [] : this.#addedBy(side)) {
      const place = this.#placeOf(path, side);
      if (place === undefined || this.#comers[other].has(path)) continue;
      // This side moved the folder's destination on.
      if (this.#destinations[side].has(place.folder)) continue;
      const comers = this.#comers[side].get(place.path) ?? [];
      if (comers.length === 1 && !(await this.#isTaken(place.path, side))) this.#move(path, place.path, side);
      else if (!told.has(place.path)) {
        told.add(place.path);
        this.#context.conflicts.push({ kind: "implicit directory rename", path: place.path, others: comers });
      }
    }
  }

  /** Whether a side has something at a path: a file that did not go elsewhere, or a folder. */
  async #isTaken(path: string, side: Side): Promise<boolean> {
    const { entries, history, trees } = this.#context;
    const entry = entries.get(path);
    if (entry?.stages[side] !== undefined) return true;
    const found = await findEntry(history, trees[side], path);
    return found !== undefined && (entry === undefined || found.mode === directoryMode);
  }

  #move(path: string, to: string, side: Side): void {
    const { entries, conflicts } = this.#context;
    const old = entries.get(path) as MergeEntry;
    const fresh = entries.get(to) ?? entryOfStages(to, [undefined, undefined, undefined]);
    if (!entries.has(to)) fresh.names = [path, path, path];
    fresh.stages[side] = old.stages[side];
    fresh.names[side] = path;
    fresh.hasPathConflict = true;
    old.stages[side] = undefined;
    entries.set(to, fresh);
    this.places.set(`${side}:${path}`, to);
    conflicts.push({ kind: "file location", path: to, others: [path] });
  }
}
