import { getPull } from "#core/pull/pull";
import {
  createCodeComment,
  getCodeComment,
  removeCodeComment,
  replyToCodeComment,
  resolveCodeComment,
} from "#core/review/code/code-comments";
import { getReview } from "#core/review/review";
import { wholeUnlessAsked } from "../../http/answer/paging.ts";
import { viewOf } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { byPullReaders, bySignedInReaders, readsPulls } from "../pull/needs.ts";
import { newCodeComment } from "./endpoints.ts";
import { onReview } from "./needs.ts";
import { CreatePullReviewComment, CreatePullReviewCommentReplyOptions, PullReviewComment } from "./schema.ts";
import { showCodeComment, showCodeComments } from "./show.ts";

const repoGetPullReviewComments = endpoint({
  id: "repoGetPullReviewComments",
  ...byPullReaders,
  method: "get",
  path: "/repos/{owner}/{repo}/pulls/{index}/reviews/{id}/comments",
  summary: "List the comments of a review: all unless a page is asked for",
  status: 200,
  returns: { list: PullReviewComment, hasTexts: true },
  errors: [403, 404],
  handle: async (request) => {
    const { forge, access, actor, params, page } = request;
    const pull = await getPull(forge, access, params.index);
    const review = await getReview(forge, pull, params.id, actor);
    const { items: ids, ...listing } = wholeUnlessAsked(review.commentIds, page);
    return { ...listing, items: showCodeComments(forge, viewOf(request), access, { review, ids }) };
  },
});

const repoCreatePullReviewComment = endpoint({
  id: "repoCreatePullReviewComment",
  ...onReview,
  method: "post",
  path: "/repos/{owner}/{repo}/pulls/{index}/reviews/{id}/comments",
  summary: "Add a comment to a review: its author while it is pending, then everybody",
  cost: "heavy",
  body: CreatePullReviewComment,
  status: 200,
  returns: { json: PullReviewComment },
  errors: [401, 403, 404, 409, 422],
  handle: async (request) => {
    const { forge, access, actor, params, body, signal } = request;
    const given = newCodeComment(body);
    const place = { number: params.index, reviewId: params.id };
    const comment = await createCodeComment(forge, access, place, given, { actor, signal });
    return showCodeComment(forge, viewOf(request), access, comment);
  },
});

const repoGetPullReviewComment = endpoint({
  id: "repoGetPullReviewComment",
  ...byPullReaders,
  method: "get",
  path: "/repos/{owner}/{repo}/pulls/{index}/reviews/{id}/comments/{comment}",
  summary: "Get a comment of a review",
  status: 200,
  returns: { json: PullReviewComment },
  errors: [403, 404],
  handle: async (request) => {
    const { forge, access, actor, params } = request;
    const comment = await getCodeComment(forge, access, params.index, Number(params.comment), actor);
    return showCodeComment(forge, viewOf(request), access, comment);
  },
});

const repoDeletePullReviewComment = endpoint({
  id: "repoDeletePullReviewComment",
  ...bySignedInReaders,
  method: "delete",
  path: "/repos/{owner}/{repo}/pulls/{index}/reviews/{id}/comments/{comment}",
  summary: "Delete a comment of a review: its author and writers may",
  description: "Nothing happens to an entry of the timeline that is no comment on a line.",
  hasBareRefusal: true,
  status: 204,
  errors: [401, 403, 404, 409],
  handle: async ({ forge, access, actor, params }) => {
    await removeCodeComment(forge, access, params.index, Number(params.comment), actor);
    return undefined;
  },
});

const repoCreatePullReviewCommentReply = endpoint({
  id: "repoCreatePullReviewCommentReply",
  ...bySignedInReaders,
  method: "post",
  path: "/repos/{owner}/{repo}/pulls/{index}/comments/{id}/replies",
  summary: "Answer a comment on a line",
  refusesArchived: true,
  thingRights: ({ forge, access, params, actor }) =>
    getCodeComment(forge, access, params.index, params.id, actor),
  body: CreatePullReviewCommentReplyOptions,
  status: 201,
  returns: { json: PullReviewComment },
  errors: [401, 403, 404, 409, 422, 423],
  handle: async (request) => {
    const { forge, access, actor, params, body } = request;
    const place = { number: params.index, id: params.id };
    const comment = await replyToCodeComment(forge, access, place, body.body, actor);
    return showCodeComment(forge, viewOf(request), access, comment);
  },
});

const repoResolvePullReviewComment = endpoint({
  id: "repoResolvePullReviewComment",
  tag: "repository",
  method: "post",
  path: "/repos/{owner}/{repo}/pulls/comments/{id}/resolve",
  summary: "Mark the conversation of a comment as resolved: the author of the request and writers may",
  needs: { ...readsPulls, login: true },
  refusesArchived: true,
  status: 204,
  errors: [401, 403, 404, 409, 423],
  handle: async ({ forge, access, actor, params }) => {
    await resolveCodeComment(forge, access, params.id, true, actor);
    return undefined;
  },
});

const repoUnresolvePullReviewComment = endpoint({
  id: "repoUnresolvePullReviewComment",
  tag: "repository",
  method: "post",
  path: "/repos/{owner}/{repo}/pulls/comments/{id}/unresolve",
  summary: "Open the conversation of a comment again: the author of the request and writers may",
  needs: { ...readsPulls, login: true },
  refusesArchived: true,
  status: 204,
  errors: [401, 403, 404, 409, 423],
  handle: async ({ forge, access, actor, params }) => {
    await resolveCodeComment(forge, access, params.id, false, actor);
    return undefined;
  },
});

export const reviewCommentEndpoints = [
  repoGetPullReviewComments,
  repoCreatePullReviewComment,
  repoGetPullReviewComment,
  repoDeletePullReviewComment,
  repoCreatePullReviewCommentReply,
  repoResolvePullReviewComment,
  repoUnresolvePullReviewComment,
];
