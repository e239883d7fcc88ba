/**
 * What a merge wants to know of one side's renames. The search tells what it finds, and is told which files it may
 * leave out, in this order: exact renames, `startGuessing`, renames of equal names, `cull`, all others.
 */
export interface RenameInterest {
  /** Whether it matters where a deleted file went; of those where not, only exact renames are found. */
  isRelevant(path: string): boolean;
  /** Takes note of a rename that was found. */
  note(from: string, to: string): void;
  /** Says that exact renames are known: from them `guess` tells where folders went. */
  startGuessing(): void;
  /** Where a file would be if it went with the others of its folder. */
  guess(from: string): string | undefined;
  /** Those of the deleted files left, relevant ones all, that still matter. */
  cull(paths: readonly string[]): ReadonlySet<string>;
}
