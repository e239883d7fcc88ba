import type { Lifecycle } from "../lifecycle/lifecycle.ts";
import { stopwatchChecks } from "./stopwatch.check.ts";
import { forgetStopwatchesOfIssue, forgetStopwatchesOfUser } from "./stopwatch.ts";

export const stopwatchLifecycle: Lifecycle = {
  noun: "stopwatch",
  items: [{ at: "U#<user> / STOPWATCH" }, { at: "I#<repository>.<number> / SW#<user>" }],
  ends: {
    user: {
      stopwatches: {
        async step(forge, { userId }) {
          await forgetStopwatchesOfUser(forge, userId);
          return { hasFound: false, hasMore: false };
        },
      },
    },
    issue: {
      elsewhere: (forge, { repositoryId, number }) => forgetStopwatchesOfIssue(forge, repositoryId, number),
    },
  },
  checks: stopwatchChecks,
};
