import { requestReviews, withdrawRequests } from "#core/review/request";
import { z } from "#zod";
import { viewOf } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { onPull } from "./needs.ts";
import { PullReview, PullReviewRequestOptions } from "./schema.ts";
import { showReviews } from "./show.ts";

const repoCreatePullReviewRequests = endpoint({
  id: "repoCreatePullReviewRequests",
  ...onPull,
  method: "post",
  path: "/repos/{owner}/{repo}/pulls/{index}/requested_reviewers",
  summary: "Ask users and teams for a review; answers the new requests",
  body: PullReviewRequestOptions,
  status: 201,
  returns: { json: z.array(PullReview) },
  errors: [401, 403, 404, 409, 422],
  handle: async (request) => {
    const { forge, access, actor, params, body } = request;
    const named = { users: body.reviewers ?? [], teams: body.team_reviewers ?? [] };
    const { pull, reviews } = await requestReviews(forge, access, params.index, named, actor);
    return showReviews(forge, viewOf(request), access, pull, reviews);
  },
});

const repoDeletePullReviewRequests = endpoint({
  id: "repoDeletePullReviewRequests",
  ...onPull,
  method: "delete",
  path: "/repos/{owner}/{repo}/pulls/{index}/requested_reviewers",
  summary: "Take requests for reviews back",
  body: PullReviewRequestOptions,
  status: 204,
  errors: [401, 403, 404, 409, 422],
  handle: async ({ forge, access, actor, params, body }) => {
    const named = { users: body.reviewers ?? [], teams: body.team_reviewers ?? [] };
    await withdrawRequests(forge, access, params.index, named, actor);
    return undefined;
  },
});

export const reviewRequestEndpoints = [repoCreatePullReviewRequests, repoDeletePullReviewRequests];
