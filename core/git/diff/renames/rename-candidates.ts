import { fileMode } from "../../format/tree.ts";
import type { FileSide } from "../file-change.ts";

const candidatesPerTarget = 4;
const mostExactTried = 100;

/** A file that may have become another. */
export interface Source {
  readonly side: FileSide;
  /** The number of its targets, and one more when the file itself stays. */
  uses: number;
}

/** A file that may have been another. */
export interface Target {
  readonly side: FileSide;
  source: Source | undefined;
  similarity: number;
}

/** A pair that may be a rename, and its similarity. */
export interface Candidate {
  readonly target: Target;
  readonly source: Source;
  readonly similarity: number;
  readonly hasName: boolean;
}

/** Better ones first. */
export function byScore(left: Candidate, right: Candidate): number {
  return right.similarity - left.similarity || Number(right.hasName) - Number(left.hasName);
}

/** Keeps a few of the best for each target; of equals the earlier ones. */
export function addBest(best: Candidate[], candidate: Candidate): void {
  if (best.length < candidatesPerTarget) {
    best.push(candidate);
    return;
  }
  let worst = 0;
  for (let at = 1; at < best.length; at++) {
    if (byScore(best[at] as Candidate, best[worst] as Candidate) > 0) worst = at;
  }
  if (byScore(best[worst] as Candidate, candidate) > 0) best[worst] = candidate;
}

/** A source with the target's content: preferably an unused one with the target's name. */
export function bestExact(sources: readonly Source[], target: Target, mayCopy: boolean): Source | undefined {
  let best: Source | undefined;
  let bestScore = -1;
  for (const [tried, source] of sources.entries()) {
    if (tried > mostExactTried) break;
    const areRegular = isRegular(source.side) && isRegular(target.side);
    if (!areRegular && source.side.mode !== target.side.mode) continue;
    if (source.uses > 0 && !mayCopy) continue;
    const score = Number(source.uses === 0) + Number(hasSameName(source.side, target.side));
    if (score <= bestScore) continue;
    best = source;
    bestScore = score;
    if (score === 2) break;
  }
  return best;
}

/** Files by name without folders; undefined for names that several have. */
export function uniqueNames<T extends { readonly side: FileSide }>(
  files: readonly T[],
): Map<string, T | undefined> {
  const names = new Map<string, T | undefined>();
  for (const file of files) {
    const name = nameWithoutFolders(file.side);
    names.set(name, names.has(name) ? undefined : file);
  }
  return names;
}

/** The last part of a file's path. */
export const nameWithoutFolders = ({ path }: FileSide): string => path.slice(path.lastIndexOf("/") + 1);
/** Whether two files have one name, folders aside. */
export const hasSameName = (one: FileSide, other: FileSide): boolean =>
  nameWithoutFolders(one) === nameWithoutFolders(other);
/** Whether a file is neither link nor submodule: only such files are compared by content. */
export const isRegular = ({ mode }: FileSide): boolean => (mode & 0o170000) === (fileMode & 0o170000);
