import { defined } from "#core/defined";
import { unprocessable } from "#core/errors";
import { createReview, type NewCodeComment } from "#core/review/create";
import { dismissReview, undismissReview } from "#core/review/dismiss";
import { removeReview } from "#core/review/remove";
import { getPullAndReview, listReviews } from "#core/review/review";
import { submitReview, type Verdict } from "#core/review/submit";
import { viewOf } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { byPullReaders, bySignedInReaders } from "../pull/needs.ts";
import { onPull, onReview } from "./needs.ts";
import {
  type CreatePullReviewCommentJson,
  CreatePullReviewOptions,
  DismissPullReviewOptions,
  PullReview,
  SubmitPullReviewOptions,
} from "./schema.ts";
import { showReview, showReviews } from "./show.ts";

const verdicts: Readonly<Record<string, Verdict>> = {
  APPROVED: "approved",
  REQUEST_CHANGES: "rejected",
  COMMENT: "comment",
};
const verdictOf = (event = ""): Verdict | "pending" => verdicts[event] ?? "pending";

/** A line as core names it; the old side wins. 422 without a line. */
export function newCodeComment(given: CreatePullReviewCommentJson): NewCodeComment {
  const { path, body, old_position: old = 0, new_position: fresh = 0 } = given;
  const line = old > 0 ? old : fresh;
  if (line === 0) throw unprocessable(`the comment names no line [path: ${path}]`);
  return { path, body, line, side: old > 0 ? "old" : "new" };
}

const repoListPullReviews = endpoint({
  id: "repoListPullReviews",
  ...byPullReaders,
  method: "get",
  path: "/repos/{owner}/{repo}/pulls/{index}/reviews",
  summary: "List the reviews of a pull request and the requests for them, oldest first",
  description:
    "Pending reviews are shown to their authors and site administrators; the total counts them all.",
  cost: "heavy",
  status: 200,
  returns: { list: PullReview, hasTexts: true },
  errors: [403, 404],
  handle: async (request) => {
    const { forge, access, actor, params, page } = request;
    const { pull, items, total } = await listReviews(forge, access, params.index, actor, page);
    return { items: await showReviews(forge, viewOf(request), access, pull, items), total };
  },
});

const repoGetPullReview = endpoint({
  id: "repoGetPullReview",
  ...byPullReaders,
  method: "get",
  path: "/repos/{owner}/{repo}/pulls/{index}/reviews/{id}",
  summary: "Get a review of a pull request",
  status: 200,
  returns: { json: PullReview },
  errors: [403, 404],
  handle: async (request) => {
    const { forge, access, actor, params } = request;
    const { pull, review } = await getPullAndReview(forge, access, params.index, params.id, actor);
    return showReview(forge, viewOf(request), access, pull, review);
  },
});

const repoCreatePullReview = endpoint({
  id: "repoCreatePullReview",
  ...onPull,
  method: "post",
  path: "/repos/{owner}/{repo}/pulls/{index}/reviews",
  summary: "Review a pull request",
  description: "The comments join the caller's pending review, which the event submits.",
  cost: "heavy",
  body: CreatePullReviewOptions,
  status: 200,
  returns: { json: PullReview },
  errors: [401, 403, 404, 409, 422],
  handle: async (request) => {
    const { forge, access, actor, params, body, signal } = request;
    const { commit_id: commitId, comments = [] } = body;
    const given = {
      ...{ verdict: verdictOf(body.event), body: body.body ?? "", comments: comments.map(newCodeComment) },
      ...defined({ commitId }),
    };
    const { pull, review } = await createReview(forge, access, params.index, given, { actor, signal });
    return showReview(forge, viewOf(request), access, pull, review);
  },
});

const repoSubmitPullReview = endpoint({
  id: "repoSubmitPullReview",
  ...onReview,
  method: "post",
  path: "/repos/{owner}/{repo}/pulls/{index}/reviews/{id}",
  summary: "Submit a pending review; it is about the commit that it began with",
  body: SubmitPullReviewOptions,
  status: 200,
  returns: { json: PullReview },
  errors: [401, 403, 404, 409, 422],
  handle: async (request) => {
    const { forge, access, actor, params, body } = request;
    const given = { verdict: verdictOf(body.event), body: body.body ?? "" };
    const place = { number: params.index, id: params.id };
    const { pull, review } = await submitReview(forge, access, place, given, actor);
    return showReview(forge, viewOf(request), access, pull, review);
  },
});

const repoDeletePullReview = endpoint({
  id: "repoDeletePullReview",
  ...bySignedInReaders,
  method: "delete",
  path: "/repos/{owner}/{repo}/pulls/{index}/reviews/{id}",
  summary: "Delete a review with its comments: its author and site administrators may",
  status: 204,
  errors: [401, 403, 404, 409, 422],
  handle: async ({ forge, access, actor, params }) => {
    await removeReview(forge, access, params.index, params.id, actor);
    return undefined;
  },
});

const repoDismissPullReview = endpoint({
  id: "repoDismissPullReview",
  ...onReview,
  method: "post",
  path: "/repos/{owner}/{repo}/pulls/{index}/reviews/{id}/dismissals",
  summary: "Dismiss an approval or a rejection: administrators of the repository may",
  body: DismissPullReviewOptions,
  status: 200,
  returns: { json: PullReview },
  errors: [401, 403, 404, 409, 422],
  handle: async (request) => {
    const { forge, access, actor, params, body } = request;
    const how = { message: body.message ?? "", hasPriors: body.priors === true };
    const place = { number: params.index, id: params.id };
    const { pull, review } = await dismissReview(forge, access, place, how, actor);
    return showReview(forge, viewOf(request), access, pull, review);
  },
});

const repoUnDismissPullReview = endpoint({
  id: "repoUnDismissPullReview",
  ...bySignedInReaders,
  method: "post",
  path: "/repos/{owner}/{repo}/pulls/{index}/reviews/{id}/undismissals",
  summary: "Let a dismissed review count again: administrators of the repository may",
  status: 200,
  returns: { json: PullReview },
  errors: [401, 403, 404, 409],
  handle: async (request) => {
    const { forge, access, actor, params } = request;
    const { pull, review } = await undismissReview(forge, access, params.index, params.id, actor);
    return showReview(forge, viewOf(request), access, pull, review);
  },
});

export const reviewEndpoints = [
  repoListPullReviews,
  repoGetPullReview,
  repoCreatePullReview,
  repoSubmitPullReview,
  repoDeletePullReview,
  repoDismissPullReview,
  repoUnDismissPullReview,
];
