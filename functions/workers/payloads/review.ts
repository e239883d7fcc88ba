import type { Forge } from "#core/forge";
import type { Notice } from "#core/hook/announce";
import type { EventType } from "#core/hook/event-types";
import type { ReviewAction, ReviewEvent } from "#core/hook/events";
import { type Review, reviewKey } from "#core/review/review.table";
import { readReviewTexts } from "#core/review/texts";
import { findUserById } from "#core/user/find";
import { presentRepository } from "../../api/repository/present.ts";
import { presentUser } from "../../api/user/present.ts";
import { pullPart, wantedIssue } from "./issue.ts";
import type { IsWanted } from "./push.ts";
import type { Subject } from "./subject.ts";

const requests = "pull_request_review_request";
const typeOf: Readonly<Partial<Record<ReviewAction, EventType>>> = {
  approved: "pull_request_review_approved",
  rejected: "pull_request_review_rejected",
  comment: "pull_request_review_comment",
  requested: requests,
  request_removed: requests,
};

/**
 * The notice about a review, or the request for one, for hooks, with the pull request as it is now; none when one of
 * them is gone, or no hook would hear of it.
 */
export async function reviewNotice(
  forge: Forge,
  event: ReviewEvent,
  subject: Subject,
  isWanted: IsWanted,
): Promise<Notice[]> {
  const eventType = typeOf[event.action];
  if (eventType === undefined) return [];
  const pull = await wantedIssue(forge, event, { issue: eventType, pull: eventType }, isWanted);
  if (pull === undefined) return [];
  const part =
    eventType === requests
      ? await requestPart(forge, event, subject)
      : await reviewPart(forge, event, eventType);
  if (part === undefined) return [];
  const { view, details, sender } = subject;
  const payload = {
    number: pull.number,
    ...(await pullPart(forge, subject, pull)),
    ...part,
    repository: presentRepository(view, details),
    sender,
    commit_id: "",
  };
  return [{ eventType, what: event.action, payloadFor: () => payload }];
}

/** A team has no place in a payload. */
async function requestPart(
  forge: Forge,
  { action, reviewerId }: ReviewEvent,
  { view }: Subject,
): Promise<object> {
  const reviewer = reviewerId === undefined ? undefined : await findUserById(forge, reviewerId);
  return {
    action: action === "requested" ? "review_requested" : "review_request_removed",
    requested_reviewer: reviewer === undefined ? null : presentUser(view, reviewer),
    review: null,
  };
}

async function reviewPart(
  forge: Forge,
  { repositoryId, index, reviewId }: ReviewEvent,
  eventType: EventType,
): Promise<object | undefined> {
  const review = await forge.table.get<Review>(reviewKey(repositoryId, index, reviewId));
  if (review === undefined) return undefined;
  const content = (await readReviewTexts(forge, [review])).get(reviewId) ?? "";
  return {
    action: "reviewed",
    requested_reviewer: null,
    review: { type: eventType, content },
  };
}
