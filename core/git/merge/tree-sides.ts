import { tooLarge } from "../../errors.ts";
import type { FileChange, FileSide } from "../diff/file-change.ts";
import { detectRenames } from "../diff/renames/renames.ts";
import { diffTrees } from "../diff/tree-diff.ts";
import type { ObjectId } from "../format/object-format.ts";
import type { History } from "../history/history.ts";
import { FolderMoves } from "./folder-moves.ts";
import type { Stages, Version } from "./merge-file.ts";
import { folderFacts } from "./removed-folders.ts";

/** A file that a side renamed. */
export interface Rename {
  readonly side: 1 | 2;
  readonly from: string;
  readonly to: string;
}

/** Everything in which three trees differ. */
export interface TreeSides {
  /** By path; paths that are equal in all three trees are left out. */
  readonly stages: Map<string, Stages>;
  /** By the old path, in its order. */
  readonly renames: readonly Rename[];
  /** By side: the destinations of its folders. */
  readonly moves: Readonly<Record<1 | 2, FolderMoves>>;
}

/** Git compares up to 7,000 each; with more than this, comparing would take longer than a request may. */
const renameLimit = 1_000;
const mostChanges = 50_000;

/** Compares both sides with the base. Throws TooLarge beyond 50,000 changed files. */
export async function compareSides(
  history: History,
  base: ObjectId | undefined,
  ours: ObjectId,
  theirs: ObjectId,
): Promise<TreeSides> {
  const sides = [await changesOf(history, base, ours), await changesOf(history, base, theirs)] as const;
  const stages = new Map<string, Stages>();
  for (const [at, changes] of sides.entries()) {
    for (const change of changes) note(stages, change, (at + 1) as 1 | 2);
  }
  const facts = await folderFacts(history, [ours, theirs], stages);
  const moves = { 1: new FolderMoves(facts[1]), 2: new FolderMoves(facts[2]) };
  const renames: Rename[] = [];
  for (const side of [1, 2] as const) {
    renames.push(...(await renamesOf(history, sides[side - 1] as readonly FileChange[], moves[side], side)));
  }
  renames.sort((left, right) => compare(left.from, right.from) || left.side - right.side);
  return { stages, renames, moves };
}

const compare = (left: string, right: string): number => (left === right ? 0 : left < right ? -1 : 1);

async function changesOf(
  history: History,
  base: ObjectId | undefined,
  side: ObjectId,
): Promise<readonly FileChange[]> {
  const { changes, isCut } = await diffTrees(history, base, side, { changes: mostChanges });
  if (isCut) throw tooLarge(`a merge may change at most ${mostChanges} files`);
  return changes;
}

const versionOf = (side: FileSide | undefined): Version | undefined =>
  side && { mode: side.mode, id: side.id };

/** A path that only one side changed is, on the other side, as in the base. */
function note(stages: Map<string, Stages>, { old, new: fresh }: FileChange, side: 1 | 2): void {
  const { path } = (fresh ?? old) as FileSide;
  const base = versionOf(old);
  const known = stages.get(path) ?? [base, base, base];
  known[side] = versionOf(fresh);
  stages.set(path, known);
}

async function renamesOf(
  history: History,
  changes: readonly FileChange[],
  interest: FolderMoves,
  side: 1 | 2,
): Promise<Rename[]> {
  const isNeeded = changes.some(
    ({ old, new: fresh }) => fresh === undefined && old && interest.isRelevant(old.path),
  );
  if (!isNeeded) return [];
  const detected = await detectRenames(history, changes, {
    ...{ ofEmptyFiles: false, limit: renameLimit, interest },
  });
  return detected.flatMap(({ status, old, new: fresh }) =>
    status === "renamed" ? [{ side, from: (old as FileSide).path, to: (fresh as FileSide).path }] : [],
  );
}
