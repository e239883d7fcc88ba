import { editsOf } from "../content-history/content-history.table.ts";
import type { Forge } from "../forge.ts";
import { type JobKind, startJob } from "../jobs/job.ts";
import { reactionsOf } from "../reaction/reaction.table.ts";
import type { Write } from "../table/write.ts";
import type { TextPlace } from "../word-index/word-index.table.ts";
import { commentPlace, type TimelineEntry } from "./comment.table.ts";

/** The kind of the job that removes the parts of a deleted comment. */
export const commentClearingKind = "clear-comment";

const itemsPerStep = 100;

/**
 * For the transaction that deletes a comment: the job that removes its parts, if it has any. Nobody sees those without
 * the comment, so the tick may start the job.
 */
export async function clearingWrites(forge: Forge, comment: TimelineEntry): Promise<Write[]> {
  const place = commentPlace(comment);
  const hasHistory = comment.edits !== undefined;
  if (!hasHistory && (await forge.table.query({ ...reactionsOf(place), limit: 1 })).items.length === 0) {
    return [];
  }
  return [startJob(forge, commentClearingKind, { ...place }).write];
}

/** The job that follows the deletion of a comment. */
export const clearComment: JobKind<TextPlace, object> = {
  async step({ table }, comment) {
    const runs = [reactionsOf(comment), editsOf(comment)];
    const pages = await Promise.all(runs.map((run) => table.query({ ...run, limit: itemsPerStep })));
    await table.removeAll(pages.flatMap(({ items }) => items));
    return pages.every(({ next }) => next === undefined) ? { done: true } : { cursor: {} };
  },
};
