import { addFolders } from "../format/add-folders.ts";
import type { ObjectId } from "../format/object-format.ts";
import { fileMode } from "../format/tree.ts";
import type { History } from "../history/history.ts";
import { type MergeLabels, mergeVersions, RenameApplication } from "./apply-renames.ts";
import type { Conflict } from "./conflict.ts";
import { followFolders } from "./folder-renames.ts";
import { entryOfStages, type MergeEntry, presentMask } from "./merge-entry.ts";
import { isSame, kindOfMode, type Version } from "./merge-file.ts";
import { compareSides, type TreeSides } from "./tree-sides.ts";
import { editTree } from "./write-tree.ts";

/** A merged tree. With conflicts it holds marks, and files under other names, as git would leave them. */
export interface MergedTree {
  readonly tree: ObjectId;
  readonly conflicts: readonly Conflict[];
}

/**
 * Merges the changes of two trees to a base (undefined: nothing in common), with renames, like `git merge`. New objects
 * are added to the history. Throws TooLarge beyond 50,000 changed files.
 */
export async function mergeTrees(
  history: History,
  trees: { readonly base: ObjectId | undefined; readonly ours: ObjectId; readonly theirs: ObjectId },
  labels: MergeLabels,
): Promise<MergedTree> {
  const { base, ours, theirs } = trees;
  if (ours === theirs || base === theirs) return { tree: ours, conflicts: [] };
  if (base === ours) return { tree: theirs, conflicts: [] };
  const sides = await compareSides(history, base, ours, theirs);
  return new TreeMerge(history, sides, labels).run({ 1: ours, 2: theirs });
}

class TreeMerge {
  readonly #history: History;
  readonly #labels: MergeLabels;
  readonly #sides: TreeSides;
  readonly #entries = new Map<string, MergeEntry>();
  readonly #conflicts: Conflict[] = [];
  /** The changes of the merged tree, by path; everything else is as on our side. */
  readonly #merged = new Map<string, Version | undefined>();
  /** Folders that hold something after the paths from the last on have been merged. */
  readonly #liveFolders = new Set<string>();
  /** Folders of our side that contain differences. */
  readonly #ourFolders = new Set<string>();

  constructor(history: History, sides: TreeSides, labels: MergeLabels) {
    this.#history = history;
    this.#labels = labels;
    this.#sides = sides;
    for (const [path, stages] of sides.stages) {
      this.#entries.set(path, entryOfStages(path, stages));
      if (stages[1] !== undefined) addFolders(this.#ourFolders, path);
    }
  }

  async run(trees: Readonly<Record<1 | 2, ObjectId>>): Promise<MergedTree> {
    const [history, sides, entries, conflicts] = [this.#history, this.#sides, this.#entries, this.#conflicts];
    const application = new RenameApplication(history, entries, this.#labels, conflicts);
    // Nobody looks at the conflicts of a merged base.
    const isForBase = this.#labels.depth > 0;
    const context = { history, trees, sides, entries, conflicts };
    await application.apply(isForBase ? sides.renames : await followFolders(context));
    // The content of a folder comes before a file of the folder's name.
    for (const path of [...this.#entries.keys()].sort().reverse()) {
      const entry = this.#entries.get(path) as MergeEntry;
      const pause = history.pace();
      if (pause !== undefined) await pause;
      if (entry.isMoved) this.#put(path, undefined);
      else await this.#mergeEntry(entry);
    }
    const tree = await editTree(history, trees[1], this.#merged);
    return { tree, conflicts };
  }

  #put(path: string, version: Version | undefined): void {
    this.#merged.set(path, version && { mode: version.mode, id: version.id });
    if (version !== undefined) addFolders(this.#liveFolders, path);
  }

  async #mergeEntry(entry: MergeEntry): Promise<void> {
    const present = presentMask(entry);
    const unchanged = entry.equal === 0 ? undefined : { side: entry.equal === 3 ? 2 : 1 };
    const isGone = unchanged !== undefined && entry.stages[unchanged.side] === undefined;
    if (present === 0 || isGone) return this.#put(entry.path, undefined);
    let { path } = entry;
    if (this.#liveFolders.has(path)) {
      this.#put(path, undefined);
      if (present === 1) return;
      path = this.#moveAside(entry);
    }
    const [base, ours, theirs] = entry.stages;
    if (unchanged !== undefined) this.#put(path, entry.stages[unchanged.side]);
    else if (ours !== undefined && theirs !== undefined) await this.#mergeBoth(entry, path, ours, theirs);
    else if (base === undefined) this.#put(path, ours ?? theirs);
    else this.#keepModified(entry, path, base);
  }

  /** A folder has the file's path: the file gets a name of its own. */
  #moveAside({ path }: MergeEntry): string {
    const side = this.#ourFolders.has(path) ? this.#labels.theirs : this.#labels.ours;
    const moved = this.#uniquePath(path, side);
    this.#conflicts.push({ kind: "file/directory", path: moved, others: [path] });
    return moved;
  }

  #uniquePath(path: string, side: string): string {
    const start = `${path}~${side.replaceAll("/", "_")}`;
    let name = start;
    for (let number = 0; this.#entries.has(name) || this.#merged.has(name); number++)
      name = `${start}_${number}`;
    return name;
  }

  async #mergeBoth(entry: MergeEntry, path: string, ours: Version, theirs: Version): Promise<void> {
    const [base] = entry.stages;
    if (kindOfMode(ours.mode) !== kindOfMode(theirs.mode)) {
      this.#keepBothKinds(path, base, ours, theirs);
      return;
    }
    const versions = { base, ours, theirs };
    const extra = 2 * this.#labels.depth;
    const merged = await mergeVersions(this.#history, versions, entry.names, this.#labels, extra);
    this.#put(path, merged.version);
    if (merged.conflict !== undefined) this.#note(merged.conflict, path, entry);
  }

  #note(kind: Conflict["kind"], path: string, { names }: MergeEntry): void {
    const others = [...new Set(names)].filter((name) => name !== path);
    this.#conflicts.push({ kind, path, ...(others.length > 0 && { others }) });
  }

  /** For instance a file and a link: both stay, files under names of their own. */
  #keepBothKinds(path: string, base: Version | undefined, ours: Version, theirs: Version): void {
    if (this.#labels.depth > 0) {
      this.#put(path, base);
      this.#conflicts.push({ kind: "distinct types", path });
      return;
    }
    const isOurFile = kindOfMode(ours.mode) === kindOfMode(fileMode);
    const isTheirFile = kindOfMode(theirs.mode) === kindOfMode(fileMode);
    const ourPath = isOurFile || !isTheirFile ? this.#uniquePath(path, this.#labels.ours) : path;
    const theirPath = isOurFile ? path : this.#uniquePath(path, this.#labels.theirs);
    this.#put(path, undefined);
    this.#put(ourPath, ours);
    this.#put(theirPath, theirs);
    const others = [...new Set([path, ourPath, theirPath])];
    this.#conflicts.push({ kind: "distinct types", path, others });
  }

  /** One side deleted the file, or both did; a change by the other side stays, in conflict. */
  #keepModified(entry: MergeEntry, path: string, base: Version): void {
    const kept = entry.stages[1] ?? entry.stages[2];
    if (kept === undefined) {
      this.#put(path, undefined);
      return;
    }
    this.#put(path, this.#labels.depth > 0 ? base : kept);
    if (!(entry.hasPathConflict && isSame(base, kept))) this.#note("modify/delete", path, entry);
  }
}
