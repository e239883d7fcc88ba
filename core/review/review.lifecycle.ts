import { foundByActor } from "../lifecycle/found-by-actor.ts";
import type { Lifecycle } from "../lifecycle/lifecycle.ts";
import { reviewPrefix } from "./review.table.ts";

/** Reviews of pull requests, and requests for them. */
export const reviewLifecycle: Lifecycle = {
  noun: "review",
  items: [
    { at: "I#<repository>.<number> / REVIEW#<review>", counter: "review" },
    { at: "I#<repository>.<number> / CHANGE#<commit>" },
  ],
  ends: { user: { reviews: foundByActor(reviewPrefix) } },
};
