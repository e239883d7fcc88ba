import type { ObjectId } from "../object/object-format.ts";

/** A file as one side of a comparison has it. */
export interface FileSide {
  /** Raw bytes, one character each (latin1), from the root. */
  readonly path: string;
  /** As git would write it today. */
  readonly mode: number;
  /** The blob; of a submodule its commit. */
  readonly id: ObjectId;
}

/** What happened to a file; `type-changed` is between file, symbolic link and submodule. */
export type ChangeStatus = "added" | "deleted" | "modified" | "type-changed" | "renamed" | "copied";

/** One file that differs between two trees. */
export interface FileChange {
  readonly status: ChangeStatus;
  /** Absent of an added file; of a renamed or copied one where it came from. */
  readonly old?: FileSide;
  /** Absent of a deleted file. */
  readonly new?: FileSide;
  /** Of renames and copies: how much is the same, 0 to 60,000 as git counts; `similarityPercent` shows it. */
  readonly similarity?: number;
}

/** The most that a similarity can be. */
export const wholeSimilarity = 60_000;

/** A similarity as git shows it. */
export const similarityPercent = (similarity: number): number =>
  Math.floor((similarity * 100) / wholeSimilarity);

/** The side that gives the change its place in lists. */
export const sideOf = (change: FileChange): FileSide => (change.new ?? change.old) as FileSide;
