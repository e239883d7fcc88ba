import type { Lifecycle } from "../lifecycle/lifecycle.ts";
import { followChecks } from "./follow.check.ts";
import { forgetFollowsOf } from "./follow.ts";

export const followLifecycle: Lifecycle = {
  noun: "follow",
  items: [{ at: "U#<user> / FOL#<user>" }, { at: "U#<user> / FOLLOWER#<user>" }],
  ends: {
    user: {
      follows: {
        async step(forge, { userId }) {
          await forgetFollowsOf(forge, userId);
          return { hasFound: false, hasMore: false };
        },
      },
    },
  },
  checks: followChecks,
};
