import { isSame, type Stages } from "./merge-file.ts";

/** A path on its way through a merge. */
export interface MergeEntry {
  readonly path: string;
  stages: Stages;
  /** The names of the versions at their origin: those of renamed files differ. */
  names: [string, string, string];
  /** The versions that were equal at the start, as bits (1 base, 2 ours, 4 theirs); 0 when all differ. */
  readonly equal: number;
  /** A rename went wrong here, whatever the contents say. */
  hasPathConflict: boolean;
  /** Renamed away: nothing is left to do. */
  isMoved: boolean;
}

/** An entry made of its versions in the trees. */
export function entryOfStages(path: string, stages: Stages): MergeEntry {
  const names: [string, string, string] = [path, path, path];
  const equal = equalMask(stages);
  return { path, stages: [...stages], names, equal, hasPathConflict: false, isMoved: false };
}

function equalMask([base, ours, theirs]: Stages): number {
  if (isSame(ours, theirs)) return isSame(base, ours) ? 7 : 6;
  if (isSame(base, ours)) return 3;
  return isSame(base, theirs) ? 5 : 0;
}

/** The present versions, as bits. */
export const presentMask = ({ stages }: MergeEntry): number =>
  (stages[0] ? 1 : 0) | (stages[1] ? 2 : 0) | (stages[2] ? 4 : 0);
