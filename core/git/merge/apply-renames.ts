import { fileMode } from "../format/tree.ts";
import type { History } from "../history/history.ts";
import type { Conflict } from "./conflict.ts";
import { entryOfStages, type MergeEntry } from "./merge-entry.ts";
import { kindOfMode, type MergedFile, mergeFile, type Version } from "./merge-file.ts";
import type { Rename } from "./tree-sides.ts";

/** Names of the sides, and the depth of a merge of merge bases: deeper ones have longer marks. */
export interface MergeLabels {
  readonly ours: string;
  readonly theirs: string;
  readonly depth: number;
}

const shortestMark = 7;

/** Merges an entry's three versions under their names; `extra` lengthens the marks. */
export function mergeVersions(
  history: History,
  versions: { base: Version | undefined; ours: Version; theirs: Version },
  names: readonly [string, string, string],
  labels: MergeLabels,
  extra: number,
): Promise<MergedFile> {
  const isOneName = names[0] === names[1] && names[1] === names[2];
  const named = (side: string, name: string) => (isOneName ? side : `${side}:${name}`);
  return mergeFile(history, versions, {
    ours: Buffer.from(named(labels.ours, names[1]), "latin1").toString(),
    theirs: Buffer.from(named(labels.theirs, names[2]), "latin1").toString(),
    markerSize: shortestMark + extra,
    isForBase: labels.depth > 0,
  });
}

/** Moves the versions of renamed files to their new paths, so that each path can be merged by itself. */
export class RenameApplication {
  readonly #history: History;
  readonly #entries: Map<string, MergeEntry>;
  readonly #labels: MergeLabels;
  readonly #conflicts: Conflict[];

  constructor(
    history: History,
    entries: Map<string, MergeEntry>,
    labels: MergeLabels,
    conflicts: Conflict[],
  ) {
    this.#history = history;
    this.#entries = entries;
    this.#labels = labels;
    this.#conflicts = conflicts;
  }

  /** Renames by old path, of one path ours first. */
  async apply(renames: readonly Rename[]): Promise<void> {
    for (let at = 0; at < renames.length; at++) {
      const rename = renames[at] as Rename;
      const next = renames[at + 1];
      if (next?.from !== rename.from) await this.#applyOne(rename);
      else {
        at += 1;
        if (next.to === rename.to) this.#applyEqual(rename);
        else await this.#applyDiverging(rename, next);
      }
    }
  }

  #entry(path: string): MergeEntry {
    let entry = this.#entries.get(path);
    if (entry === undefined) {
      entry = entryOfStages(path, [undefined, undefined, undefined]);
      this.#entries.set(path, entry);
    }
    return entry;
  }

  /** Both sides renamed to one path: the base is merged there. */
  #applyEqual({ from, to }: Rename): void {
    const [old, fresh] = [this.#entry(from), this.#entry(to)];
    fresh.stages[0] = old.stages[0];
    old.isMoved = true;
  }

  /** Each side renamed to a path of its own: both get the merged content, and the old path stays in conflict. */
  async #applyDiverging(our: Rename, their: Rename): Promise<void> {
    const [old, ours, theirs] = [this.#entry(our.from), this.#entry(our.to), this.#entry(their.to)];
    const [mine, other] = [ours.stages[1] as Version, theirs.stages[2] as Version];
    if (kindOfMode(mine.mode) === kindOfMode(other.mode)) {
      const merged = await this.#merge(old.stages[0], mine, other, [old.path, our.to, their.to]);
      const { version } = merged;
      const wasNotMerged =
        merged.conflict !== undefined && version?.id === mine.id && version.mode === mine.mode;
      ours.stages[1] = version;
      theirs.stages[2] = wasNotMerged ? other : version;
    }
    for (const entry of [old, ours, theirs]) entry.hasPathConflict = true;
    this.#conflicts.push({ kind: "rename/rename", path: our.to, others: [our.from, their.to] });
  }

  #merge(
    base: Version | undefined,
    ours: Version,
    theirs: Version,
    names: [string, string, string],
  ): Promise<MergedFile> {
    const extra = 1 + 2 * this.#labels.depth;
    return mergeVersions(this.#history, { base, ours, theirs }, names, this.#labels, extra);
  }

  async #applyOne(rename: Rename): Promise<void> {
    const { side, from, to } = rename;
    const other = side === 1 ? 2 : 1;
    const [old, fresh] = [this.#entry(from), this.#entry(to)];
    const theirs = old.stages[other];
    const isDeleted = theirs === undefined;
    const isTaken = fresh.stages[other] !== undefined;
    const changesKind = theirs !== undefined && isFile(theirs) !== isFile(fresh.stages[side] as Version);
    if (isTaken && !changesKind && theirs !== undefined) await this.#collide(rename, theirs);
    else if (isTaken && !changesKind) this.#noteDeleted(fresh, from);
    else this.#move(old, fresh, { side, changesKind, isDeleted });
    if (!changesKind) old.isMoved = true;
    else if (!isTaken) old.stages[0] = undefined;
  }

  /** The other side has something else at the new path: the result of the rename is one version of that. */
  async #collide({ side, from, to }: Rename, theirs: Version): Promise<void> {
    const [old, fresh] = [this.#entry(from), this.#entry(to)];
    const own = fresh.stages[side] as Version;
    const [first, second] = side === 1 ? [own, theirs] : [theirs, own];
    const names: [string, string, string] = side === 1 ? [from, to, from] : [from, from, to];
    const merged = await this.#merge(old.stages[0], first, second, names);
    fresh.stages[side] = merged.version;
    if (merged.conflict !== undefined) {
      this.#conflicts.push({ kind: merged.conflict, path: to, others: [from] });
    }
  }

  #noteDeleted(fresh: MergeEntry, from: string): void {
    fresh.hasPathConflict = true;
    this.#conflicts.push({ kind: "rename/delete", path: fresh.path, others: [from] });
  }

  #move(
    old: MergeEntry,
    fresh: MergeEntry,
    { side, changesKind, isDeleted }: { side: 1 | 2; changesKind: boolean; isDeleted: boolean },
  ): void {
    const other = side === 1 ? 2 : 1;
    fresh.stages[0] = old.stages[0];
    fresh.names[0] = old.path;
    if (changesKind) return;
    if (isDeleted) this.#noteDeleted(fresh, old.path);
    else {
      fresh.stages[other] = old.stages[other];
      fresh.names[other] = old.path;
    }
  }
}

const isFile = ({ mode }: Version): boolean => kindOfMode(mode) === kindOfMode(fileMode);
