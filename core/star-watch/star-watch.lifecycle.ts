import type { Forge } from "../forge.ts";
import type { PartStep } from "../jobs/passes.ts";
import type { EndedRepository, Lifecycle, MovedRepository } from "../lifecycle/lifecycle.ts";
import { type Repository, repositoryKey } from "../repository/repository.table.ts";
import { endWatch } from "../watch/watch.ts";
import { endStars } from "./internal/star-count.ts";
import { starWatchChecks } from "./star-watch.check.ts";
import {
  type StarOrWatch,
  starAndWatchPrefixes,
  starOrWatchMirrorKey,
  starsAndWatchesOfRepository,
} from "./star-watch.table.ts";
import { forgetSomeStarsAndWatches } from "./star-watch.ts";

const watchesPerStep = 100;
/** Each is a transaction of its own. */
const starsPerStep = 50;

/** Watches, with their mirrors at the users. */
async function endWatches({ table }: Forge, { repositoryId }: EndedRepository): Promise<PartStep> {
  const limit = watchesPerStep;
  const watches = await table.queryAll<StarOrWatch>({
    ...starsAndWatchesOfRepository("watch", repositoryId),
    limit,
  });
  await table.removeAll(watches.map(({ userId }) => starOrWatchMirrorKey("watch", userId, repositoryId)));
  await table.removeAll(watches);
  return { hasFound: watches.length > 0, hasMore: watches.length === limit };
}

/** The former owner no longer watches, unless the repository is back. */
async function endOwnersWatch(
  forge: Forge,
  { repositoryId, formerOwnerId }: MovedRepository,
): Promise<PartStep> {
  const repository = await forge.table.get<Repository>(repositoryKey(repositoryId));
  if (repository?.state === "live" && repository.ownerId !== formerOwnerId) {
    await endWatch(forge, repository, formerOwnerId);
  }
  return { hasFound: false, hasMore: false };
}

/** Stars and watches. Users count their stars, repositories both. */
export const starWatchLifecycle: Lifecycle = {
  noun: "star-watch",
  items: [
    { at: "R#<repository> / STAR#<user>" },
    { at: "R#<repository> / WATCH#<user>" },
    { at: "U#<user> / STAR#<repository>" },
    { at: "U#<user> / WATCH#<repository>" },
  ],
  ends: {
    repository: {
      watches: { step: endWatches, alone: [starAndWatchPrefixes.watch] },
      stars: {
        async step(forge, { repositoryId }) {
          const found = await endStars(forge, repositoryId, starsPerStep);
          return { hasFound: found > 0, hasMore: found === starsPerStep };
        },
        alone: [starAndWatchPrefixes.star],
      },
    },
    user: {
      starsAndWatches: {
        step: (forge, { userId }) => forgetSomeStarsAndWatches(forge, userId),
        alone: [starAndWatchPrefixes.star, starAndWatchPrefixes.watch],
      },
    },
  },
  moves: { watch: { step: endOwnersWatch } },
  checks: starWatchChecks,
};
