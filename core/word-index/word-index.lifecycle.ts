import type { Lifecycle } from "../lifecycle/lifecycle.ts";
import { removePage } from "../lifecycle/remove-page.ts";
import { wordIndexChecks } from "./word-index.check.ts";
import { postingsPartition, waitingPartition, waitingPrefix } from "./word-index.table.ts";

export const wordIndexLifecycle: Lifecycle = {
  noun: "word-index",
  items: [{ at: "R#<repository>#DIR / W#<text>" }, { at: "R#<repository>#K / <word>#<text>" }],
  ends: {
    repository: {
      words: {
        stage: "beside",
        // Postings come last: none is added once no words wait.
        async step(forge, { repositoryId }) {
          const run = { pk: waitingPartition(repositoryId), prefix: waitingPrefix };
          const waiting = await removePage(forge, run);
          if (waiting.hasFound) return { hasFound: true, hasMore: true };
          return removePage(forge, { pk: postingsPartition(repositoryId) });
        },
      },
    },
  },
  checks: wordIndexChecks,
};
