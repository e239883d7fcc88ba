import { endGit } from "../lifecycle/git/git.lifecycle.ts";
import type { Lifecycle } from "../lifecycle/lifecycle.ts";
import { type Repository, repositoryKey } from "../repository/repository.table.ts";

/** Git data under an id of its own, which the repository's item names until the end. */
export const wikiLifecycle: Lifecycle = {
  noun: "wiki",
  items: [],
  ends: {
    repository: {
      pages: {
        stage: "git",
        async step(forge, { repositoryId }, inner) {
          const repository = await forge.table.get<Repository>(repositoryKey(repositoryId));
          if (repository?.wikiId === undefined) return { hasFound: false, hasMore: false };
          return endGit(forge, repository.wikiId, inner);
        },
      },
    },
  },
};
