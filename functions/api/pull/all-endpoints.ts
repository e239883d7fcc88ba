import type { Endpoint } from "../../http/endpoint.ts";
import { reviewCommentEndpoints } from "../review/comment-endpoints.ts";
import { reviewEndpoints } from "../review/endpoints.ts";
import { reviewRequestEndpoints } from "../review/request-endpoints.ts";
import { pullEndpoints } from "./endpoints.ts";
import { pullMergeEndpoints } from "./merge-endpoints.ts";
import { pullRangeEndpoints } from "./range-endpoints.ts";

/** Every operation on pull requests and their reviews: they are loaded together. */
export const allPullEndpoints: readonly Endpoint[] = [
  ...reviewCommentEndpoints,
  ...reviewRequestEndpoints,
  ...pullEndpoints,
  ...pullRangeEndpoints,
  ...reviewEndpoints,
  ...pullMergeEndpoints,
];
