import { entriesIn, entryKind } from "../comment/checked-entries.ts";
import { commentClearingKind } from "../comment/clear.ts";
import { entryKey } from "../comment/comment.table.ts";
import type { Forge } from "../forge.ts";
import { listJobs } from "../jobs/job.ts";
import type { Check } from "../lifecycle/check/checks.ts";
import { asRead, mending, shownKey } from "../lifecycle/check/finding.ts";
import type { RepositoryFacts } from "../lifecycle/check/repository-facts.ts";
import { absent } from "../table/condition.ts";
import { check, type Item, remove, type TableKey } from "../table/write.ts";
import { addressIn, issueKind, issuesIn } from "./checked-issues.ts";
import { issueKey, issueTombstoneKey } from "./issue.table.ts";

/** The kinds that such a check reads beside its own. */
export const orphanReads = [issueKind, entryKind];

/**
 * Invariant 27: items of a kind that lie at an issue, or at one of its comments where the kind names it first
 * (`RE#<comment>#…`), are of one that is there, or that a job is clearing up.
 */
export const checkOrphans =
  (kind: string): Check<RepositoryFacts> =>
  async (forge, facts) => {
    const issues = issuesIn(facts);
    const comments = new Set(entriesIn(facts).map(({ id }) => id));
    const gone = new Set(facts.items.map(({ sk }) => sk));
    const isOfText = /#<comment>/.test(kind);
    const lost = facts.all<Item>(kind).flatMap((item) => {
      const { repositoryId, number } = addressIn(item);
      const commentId = isOfText ? Number(item.sk.split("#")[1]) : 0;
      const isClearing = gone.has(issueTombstoneKey(repositoryId, number).sk);
      const isThere = issues.has(number) && (commentId === 0 || comments.has(commentId));
      const subject =
        commentId === 0 ? issueKey(repositoryId, number) : entryKey(repositoryId, number, commentId);
      return isThere || isClearing ? [] : { item, commentId, subject };
    });
    const cleared = lost.length === 0 ? new Set() : await commentsBeingCleared(forge);
    return lost
      .filter(({ commentId }) => !cleared.has(commentId))
      .map(({ item, subject }) => ({
        invariant: 27,
        key: shownKey(item),
        problem: `${shownKey(subject)}, which it is about, is not there`,
        remedy: "removes it",
        repair: mending([check(subject, absent)], remove(item as TableKey, asRead(item))),
      }));
  };

async function commentsBeingCleared(forge: Forge): Promise<Set<number>> {
  const jobs = (await listJobs(forge)).filter(({ kind }) => kind === commentClearingKind);
  return new Set(jobs.map((job) => (job.arguments as { commentId: number }).commentId));
}
