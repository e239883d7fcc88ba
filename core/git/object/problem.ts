/** What is wrong with an object: `problem` in the words of `git fsck` (its message ids), `message` for people. */
export interface ObjectProblem {
  problem: string;
  message: string;
}

/** A problem, spelled shortly. */
export const problem = (id: string, message: string): ObjectProblem => ({ problem: id, message });
