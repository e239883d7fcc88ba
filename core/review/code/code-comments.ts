import type { RepositoryAccess } from "../../access/repository-access.ts";
import type { Actor } from "../../actor.ts";
import { nowSeconds } from "../../clock.ts";
import {
  type CodePlace,
  type EntryRow,
  entryKey,
  entryRowKey,
  type TimelineEntry,
} from "../../comment/comment.table.ts";
import { forbidden, missingRights, notFound, unprocessable } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import { changeIssue } from "../../issue/change/change.ts";
import { entryIds } from "../../issue/change/timeline.ts";
import { mayEditIssue } from "../../issue/rights.ts";
import { followHead } from "../../pull/follow/follow-head.ts";
import type { PullRequest } from "../../pull/pull.table.ts";
import { getPull } from "../../pull/pull.ts";
import { put, remove } from "../../table/write.ts";
import { changeReviews, requireReviewable } from "../change.ts";
import { commentEntries, type NewCodeComment, requireCommentText, withComments } from "../create.ts";
import { followTexts } from "../follow-texts.ts";
import { readComments } from "../read-comments.ts";
import { type Review, reviewKey } from "../review.table.ts";
import { getReview, maySeeReview } from "../review.ts";
import { openReviewed, placeLines } from "./code-place.ts";

/** A comment on a line of a pull request's change. */
export type CodeComment = TimelineEntry & { readonly code: CodePlace; readonly reviewId: number };

/** Whether an entry of the timeline is one. */
export const isCodeComment = (entry: TimelineEntry | undefined): entry is CodeComment =>
  entry?.type === "code" && entry.code !== undefined;

/** Comments of a review, in the order of these ids, a part of them at a time. */
export async function* readCodeComments(
  forge: Forge,
  review: Review,
  ids: readonly number[],
): AsyncGenerator<readonly CodeComment[]> {
  for await (const some of readComments(forge, review, ids)) yield some.filter(isCodeComment);
}

/** One comment of a request. NotFound when there is none, or its review is not for the caller. */
export async function getCodeComment(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  id: number,
  actor: Actor | undefined,
): Promise<CodeComment> {
  const entry = await findEntryOf(forge, await getPull(forge, access, number), id);
  if (!isCodeComment(entry) || !(await mayRead(forge, entry, actor))) throw noSuchComment(id);
  return entry;
}

const noSuchComment = (id: number) => notFound(`comment does not exist [id: ${id}]`);

const findEntryOf = ({ table }: Forge, { repositoryId, number }: PullRequest, id: number) =>
  table.get<TimelineEntry>(entryKey(repositoryId, number, id));

async function mayRead({ table }: Forge, entry: CodeComment, actor: Actor | undefined): Promise<boolean> {
  const review = await table.get<Review>(reviewKey(entry.repositoryId, entry.issueNumber, entry.reviewId));
  return review !== undefined && maySeeReview(actor, review);
}

/** A review of the pull request of this number. */
interface ReviewPlace {
  readonly number: number;
  readonly reviewId: number;
}

/**
 * Adds a comment to a review: its author does while it is pending, and every reader once it is submitted (semantics
 * §46.2). NotFound as in `getReview`; 422 for a request for a review, and as in `createReview`.
 */
export async function createCodeComment(
  forge: Forge,
  access: RepositoryAccess,
  { number, reviewId }: ReviewPlace,
  { body, ...line }: NewCodeComment,
  { actor, signal }: { readonly actor: Actor; readonly signal?: AbortSignal },
): Promise<CodeComment> {
  const pull = await followHead(forge, await getPull(forge, access, number));
  const review = await getReview(forge, pull, reviewId, actor);
  requireCommentText(body);
  await requireReviewable(forge, access, pull, actor);
  const isGone = review.commitId !== pull.pull.headId; // an older head may lead nowhere by now
  const reviewed = await openReviewed(forge, pull, isGone ? undefined : review.commitId, signal);
  const [code] = (await placeLines(reviewed, [line])) as [CodePlace];
  return addComment(forge, access, { number, reviewId }, { body, code }, actor);
}

/** Answers a comment on its line (semantics §46.2). NotFound when there is none, or its review is not for the caller. */
export async function replyToCodeComment(
  forge: Forge,
  access: RepositoryAccess,
  { number, id }: { readonly number: number; readonly id: number },
  body: string,
  actor: Actor,
): Promise<CodeComment> {
  const { code, reviewId } = await getCodeComment(forge, access, number, id, actor);
  requireCommentText(body);
  const { resolverId: _resolver, ...place } = code;
  return addComment(forge, access, { number, reviewId }, { body, code: place }, actor);
}

async function addComment(
  forge: Forge,
  access: RepositoryAccess,
  { number, reviewId }: ReviewPlace,
  comment: { readonly body: string; readonly code: CodePlace },
  actor: Actor,
): Promise<CodeComment> {
  const drawIds = entryIds(forge);
  const { entries } = await changeReviews(forge, access, number, async (pull, reviews) => {
    await requireReviewable(forge, access, pull, actor);
    const review = reviews.find((one) => one.id === reviewId && maySeeReview(actor, one));
    if (review === undefined) throw notFound(`review does not exist [id: ${reviewId}]`);
    const isPending = review.state === "pending";
    if (review.state === "requested")
      throw unprocessable("it is a request for a review: nobody gave one yet");
    if (isPending && review.reviewerId !== actor.user.id) throw forbidden("the review is not yours");
    const at = nowSeconds(forge.clock);
    const added = await commentEntries(pull, review, [comment], { actor, at, entryIds: drawIds });
    const follow = isPending
      ? { writes: [] }
      : await followTexts(forge, added, "published", { actor, at, isDated: false });
    return {
      ...{ issue: { ...pull, updatedAt: isPending ? pull.updatedAt : at }, entries: added, events: [] },
      ...{ reviews: [withComments({ ...review, updatedAt: at }, added)], writes: follow.writes },
      ...("followUp" in follow ? { followUp: follow.followUp } : {}),
    };
  });
  return entries[0] as CodeComment;
}

/**
 * Removes a comment: its author and writers may, Forbidden for others. Does nothing to entries of the timeline that are
 * no comments on lines; NotFound as in `getCodeComment`.
 */
export async function removeCodeComment(
  forge: Forge,
  access: RepositoryAccess,
  number: number,
  id: number,
  actor: Actor,
): Promise<void> {
  const found = await findEntryOf(forge, await getPull(forge, access, number), id);
  if (found === undefined) throw noSuchComment(id);
  if (!isCodeComment(found)) return;
  if (!(await mayRead(forge, found, actor))) throw noSuchComment(id);
  if (!mayEditIssue(access.rights, actor, { kind: "pull", authorId: found.authorId })) {
    throw missingRights("only its author and writers may remove a comment");
  }
  await changeReviews(forge, access, number, async (pull, reviews) => {
    const entry = await findEntryOf(forge, pull, id);
    return isCodeComment(entry) ? planCommentRemoval(forge, pull, reviews, [entry], actor) : undefined;
  });
}

/** The change that takes comments of one review away. */
export async function planCommentRemoval(
  forge: Forge,
  pull: PullRequest,
  reviews: readonly Review[],
  entries: readonly CodeComment[],
  actor?: Actor,
) {
  const at = nowSeconds(forge.clock);
  const ids = entries.map((one) => one.id);
  const review = reviews.find((one) => one.id === entries[0]?.reviewId);
  const wasCounted = review !== undefined && review.state !== "pending";
  const follow = wasCounted
    ? await followTexts(forge, entries, "removed", { ...(actor && { actor }), at, isDated: false })
    : { writes: [] };
  const left = review?.commentIds.filter((id) => !ids.includes(id)) ?? [];
  return {
    ...{ issue: { ...pull, updatedAt: at }, entries: [], events: [] },
    reviews: review === undefined ? [] : [{ ...review, commentIds: left }],
    writes: [
      ...entries.flatMap((one) => [
        remove(entryKey(one.repositoryId, one.issueNumber, one.id)),
        remove(entryRowKey(one.repositoryId, one.id)),
      ]),
      ...follow.writes,
    ],
    ...("followUp" in follow ? { followUp: follow.followUp } : {}),
  };
}

/**
 * Marks a conversation as resolved by the caller, or as open again. The request's author and writers may, Forbidden for
 * others; NotFound as in `getCodeComment`.
 */
export async function resolveCodeComment(
  forge: Forge,
  access: RepositoryAccess,
  id: number,
  isResolved: boolean,
  actor: Actor,
): Promise<void> {
  const row = await forge.table.get<EntryRow>(entryRowKey(access.repository.id, id));
  if (row?.issueKind !== "pull") throw noSuchComment(id);
  const { authorId } = await getPull(forge, access, row.issueNumber);
  await getCodeComment(forge, access, row.issueNumber, id, actor);
  if (!mayEditIssue(access.rights, actor, { kind: "pull", authorId })) {
    throw forbidden("only the author of the pull request and writers may resolve a conversation");
  }
  await changeIssue(forge, access, row.issueNumber, async (issue) => {
    const entry = await forge.table.get<TimelineEntry>(entryKey(issue.repositoryId, issue.number, id));
    if (!isCodeComment(entry)) throw noSuchComment(id);
    if ((entry.code.resolverId !== undefined) === isResolved) return undefined;
    const { resolverId: _former, ...place } = entry.code;
    const code = isResolved ? { ...place, resolverId: actor.user.id } : place;
    return { issue, entries: [], events: [], writes: [put({ ...entry, code, v: entry.v + 1 })] };
  });
}
