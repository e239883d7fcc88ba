/** The fault of an object: `problem` is git fsck's message id, `message` is for people. */
export interface ObjectProblem {
  problem: string;
  message: string;
}

/** A problem, spelled shortly. */
export const problem = (id: string, message: string): ObjectProblem => ({ problem: id, message });
