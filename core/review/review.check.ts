import type { Forge } from "../forge.ts";
import { addressIn, issueKind, issuesIn } from "../issue/checked-issues.ts";
import { issueKey } from "../issue/issue.table.ts";
import type { Checks } from "../lifecycle/check/checks.ts";
import { type Finding, shownKey } from "../lifecycle/check/finding.ts";
import type { RepositoryFacts } from "../lifecycle/check/repository-facts.ts";
import { isPullRequest, type PullRequest, type Reviewing } from "../pull/pull.table.ts";
import { equals } from "../table/condition.ts";
import type { Item } from "../table/write.ts";
import { update } from "../table/write.ts";
import { reviewingOf } from "./change.ts";
import type { Review } from "./review.table.ts";

const reviewKind = "I#<repository>.<number> / REVIEW#<review>";

/** Invariant 11: a pull request counts its reviews and their comments, and names whom it asks. */
function checkReviewing(facts: RepositoryFacts): Finding[] {
  const ofPulls = new Map<number, Review[]>();
  for (const review of facts.all<Review>(reviewKind)) {
    const { number } = addressIn(review);
    ofPulls.set(number, [...(ofPulls.get(number) ?? []), review]);
  }
  return [...issuesIn(facts).values()].flatMap((pull) => {
    if (!isPullRequest(pull)) return [];
    const [now, wanted] = [reviewingOf(pull), countedIn(ofPulls.get(pull.number) ?? [])];
    return textOf(now) === textOf(wanted) ? [] : [findingOf(pull, now, wanted)];
  });
}

const findingOf = (pull: PullRequest, now: Reviewing, wanted: Reviewing): Finding => ({
  invariant: 11,
  key: shownKey(pull),
  problem: `counts ${now.reviews} reviews and ${now.comments} comments in them, or names others who are asked; there are ${wanted.reviews} and ${wanted.comments}`,
  remedy: "counts them again",
  repair: async ({ table }: Forge) => {
    const set = { pull: { ...pull.pull, reviewing: wanted } };
    return table.write(update(issueKey(pull.repositoryId, pull.number), { set }, equals({ v: pull.v })));
  },
});

function countedIn(reviews: readonly Review[]): Reviewing {
  const asked = reviews.filter(({ state }) => state === "requested");
  const comments = reviews.map(({ state, commentIds }) => (state === "pending" ? 0 : commentIds.length));
  return {
    reviews: reviews.length,
    comments: comments.reduce((sum, count) => sum + count, 0),
    userIds: asked.flatMap(({ teamId, reviewerId }) => (teamId === undefined ? reviewerId : [])),
    teamIds: asked.flatMap(({ teamId }) => teamId ?? []),
  };
}

const textOf = ({ reviews, comments, userIds, teamIds }: Reviewing): string =>
  JSON.stringify([reviews, comments, [...userIds].sort(), [...teamIds].sort()]);

/** What the check needs of a review: its text is let go. */
const checkedReview = (item: Item): Item => ({ ...item, body: "" });

export const reviewChecks: Checks = {
  reads: [reviewKind, issueKind],
  keeps: { [reviewKind]: checkedReview },
  live: [(_, facts) => checkReviewing(facts)],
};
