import type { Forge } from "../forge.ts";
import { type JobKind, startJob } from "../jobs/job.ts";
import { reactionsOf } from "../reaction/reaction.table.ts";
import type { Write } from "../table.ts";

/** The kind of the job that removes what lies at a comment that was deleted. */
export const commentClearingKind = "clear-comment";

interface ClearedComment {
  readonly repositoryId: number;
  readonly number: number;
  readonly commentId: number;
}

const itemsPerStep = 100;

/**
 * For the transaction that deletes a comment: the job that removes what lies at it, if anything does. Nobody is shown
 * any of that without the comment, so the tick may start it.
 */
export async function clearingWrites(forge: Forge, comment: ClearedComment): Promise<Write[]> {
  const { items } = await forge.table.query({ ...reactionsOf(comment), limit: 1 });
  return items.length === 0 ? [] : [startJob(forge, commentClearingKind, { ...comment }).write];
}

/** The job that follows the deletion of a comment. */
export const clearComment: JobKind<ClearedComment, object> = {
  async step({ table }, comment) {
    const { items } = await table.query({ ...reactionsOf(comment), limit: itemsPerStep });
    await table.removeAll(items);
    return items.length < itemsPerStep ? { done: true } : { cursor: {} };
  },
};
