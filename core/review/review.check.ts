import type { Forge } from "../forge.ts";
import { addressIn, issueKind, issuesIn } from "../issue/checked-issues.ts";
import { issueKey } from "../issue/issue.table.ts";
import type { Checks } from "../lifecycle/check/checks.ts";
import { type Finding, mending, shownKey } from "../lifecycle/check/finding.ts";
import type { RepositoryFacts } from "../lifecycle/check/repository-facts.ts";
import { isPullRequest, type PullRequest, type Reviewing } from "../pull/pull.table.ts";
import { absent, equals } from "../table/condition.ts";
import { check, keyText, put, update } from "../table/write.ts";
import type { Review } from "./review.table.ts";
import { reviewerRows, reviewingFrom, reviewingOf } from "./reviewing.ts";

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
    const [now, wanted] = [reviewingOf(pull), reviewingFrom(ofPulls.get(pull.number) ?? [])];
    return textOf(now) === textOf(wanted) ? [] : [findingOf(pull, now, wanted)];
  });
}

/** Invariant 17: a request stands among those that each of its reviewers is asked to review, or has reviewed. */
async function checkReviewerRows({ table }: Forge, facts: RepositoryFacts): Promise<Finding[]> {
  const reviews = facts.all<Review>(reviewKind);
  const expected = reviews.flatMap((review) => reviewerRows([review]).map((row) => ({ row, review })));
  const found = await table.getAll(expected.map(({ row }) => row));
  return expected
    .filter(({ row }) => !found.has(keyText(row)))
    .map(({ row, review }) => ({
      invariant: 17,
      key: shownKey(row),
      problem: `is missing: a reviewer of pull request ${row.number} of repository ${row.repositoryId}`,
      remedy: "writes the row",
      repair: mending([check(review, equals({ state: review.state }))], put(row, absent)),
    }));
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

const textOf = ({ reviews, comments, userIds, teamIds }: Reviewing): string =>
  JSON.stringify([reviews, comments, [...userIds].sort(), [...teamIds].sort()]);

export const reviewChecks: Checks = {
  reads: [reviewKind, issueKind],
  live: [(_, facts) => checkReviewing(facts), checkReviewerRows],
};
