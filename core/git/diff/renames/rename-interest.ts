/**
 * What a merge wants to know of one side's renames. The search reports its results and learns which files it may leave
 * out, in this order: exact renames, `startGuessing`, renames of equal names, `cull`, all others.
 */
export interface RenameInterest {
  /** Whether the new place of a deleted file matters; for the others only exact renames are found. */
  isRelevant(path: string): boolean;
  /** Takes note of a rename that was found. */
  note(from: string, to: string): void;
  /** Announces that exact renames are known: `guess` uses them to tell where folders went. */
  startGuessing(): void;
  /** The place of a file if it went with the others of its folder. */
  guess(from: string): string | undefined;
  /** Those of the deleted files left, relevant ones all, that still matter. */
  cull(paths: readonly string[]): ReadonlySet<string>;
}
