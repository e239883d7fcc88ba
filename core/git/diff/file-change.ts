import type { ObjectId } from "../format/object-format.ts";

/** A file on one side of a comparison. */
export interface FileSide {
  /** Raw bytes, one character each (latin1), from the root. */
  readonly path: string;
  /** The mode that git would write today. */
  readonly mode: number;
  /** The blob; of a submodule its commit. */
  readonly id: ObjectId;
}

/** The change of a file; `type-changed` is between file, symbolic link and submodule. */
export type ChangeStatus = "added" | "deleted" | "modified" | "type-changed" | "renamed" | "copied";

/** One file that differs between two trees. */
export interface FileChange {
  readonly status: ChangeStatus;
  /** Absent for an added file; for a renamed or copied one its source. */
  readonly old?: FileSide;
  /** Absent of a deleted file. */
  readonly new?: FileSide;
  /** Of renames and copies: the equal part, 0 to 60,000 in git's units; `similarityPercent` shows it. */
  readonly similarity?: number;
}

/** The most that a similarity can be. */
export const wholeSimilarity = 60_000;

/** A similarity in the form that git shows. */
export const similarityPercent = (similarity: number): number =>
  Math.floor((similarity * 100) / wholeSimilarity);

/** The side that gives the change its place in lists. */
export const sideOf = (change: FileChange): FileSide => (change.new ?? change.old) as FileSide;
