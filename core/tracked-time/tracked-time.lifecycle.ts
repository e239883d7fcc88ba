import type { Lifecycle } from "../lifecycle/lifecycle.ts";
import { partitionBeside } from "../lifecycle/remove-page.ts";
import { forgetSomeTimes, forgetTimesOfIssue } from "./internal/forget.ts";
import { trackedTimeChecks } from "./tracked-time.check.ts";
import { repositoryTimes } from "./tracked-time.table.ts";

export const trackedTimeLifecycle: Lifecycle = {
  noun: "tracked-time",
  items: [
    { at: "I#<repository>.<number> / TT#<id>", counter: "tracked-time" },
    { at: "R#<repository>#W / <time>#<id>" },
    { at: "U#<user>#W / <time>#<id>" },
  ],
  ends: {
    repository: { times: partitionBeside(repositoryTimes) },
    user: {
      times: {
        async step(forge, { userId, purges }) {
          const removed = purges ? await forgetSomeTimes(forge, userId) : 0;
          return { hasFound: removed > 0, hasMore: removed > 0 };
        },
      },
    },
    issue: {
      elsewhere: (forge, { repositoryId, number }) => forgetTimesOfIssue(forge, repositoryId, number),
    },
  },
  checks: trackedTimeChecks,
};
