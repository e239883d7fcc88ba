import type { Forge } from "../forge.ts";
import type { PartStep } from "../jobs/passes.ts";
import type { EndedRepository, Lifecycle } from "../lifecycle/lifecycle.ts";
import { equals } from "../table/condition.ts";
import { remove } from "../table/write.ts";
import { emptyForks, followOwner, followVisibility } from "./fork/fork-changes.ts";
import { consolidateRepository, consolidationKind, inspectionKind, inspectPacks } from "./maintenance.ts";
import { removeRepositoriesOfOwner } from "./removal/remove.ts";
import { repositoryChecks } from "./repository.check.ts";
import {
  cardPrefix,
  ownerPartition,
  type Repository,
  type RepositoryCard,
  repositoryKey,
  repositoryNameKey,
} from "./repository.table.ts";

const repositoriesPerStep = 10;

/** Former names; one that somebody else has taken stays theirs. */
async function endNames({ table }: Forge, { repositoryId }: EndedRepository): Promise<PartStep> {
  const repository = await table.get<Repository>(repositoryKey(repositoryId));
  const isOurs = equals({ repositoryId, moved: true });
  const removed = await Promise.all(
    (repository?.formerNames ?? []).map(({ ownerId, name }) =>
      table.write(remove(repositoryNameKey(ownerId, name), isOurs)),
    ),
  );
  return { hasFound: removed.includes(true), hasMore: false };
}

/** Deletes some repositories of a deleted owner, on behalf of the user who deleted the owner. */
async function removeSome(forge: Forge, ownerId: number, actorId: number): Promise<PartStep> {
  const { items, next } = await forge.table.query<RepositoryCard>({
    pk: ownerPartition(ownerId),
    prefix: cardPrefix,
    limit: repositoriesPerStep,
  });
  for (const { repositoryId } of items) {
    await removeRepositoriesOfOwner(forge, actorId, ownerId, repositoryId);
  }
  return { hasFound: items.length > 0, hasMore: next !== undefined };
}

const nothing: PartStep = { hasFound: false, hasMore: false };

export const repositoryLifecycle: Lifecycle = {
  noun: "repository",
  items: [
    { at: "O#<owner> / RN#<name>" },
    { at: "O#<owner> / REPO#<repository>" },
    {
      at: "R#<repository> / META",
      counter: "repository",
      // A wiki's git data lies under an id of its own.
      ids: ({ id, wikiId = 0 }) => [Number(id), Number(wikiId)],
    },
    { at: "R#<repository> / COUNT#<shard>" },
    { at: "R#<repository> / FORK#<fork>" },
    { at: "R#<repository> / FO#<owner>" },
    { at: "R#<repository> / FLAGS" },
  ],
  ends: {
    repository: {
      names: { stage: "rights", step: endNames },
      forks: { step: (forge, { repositoryId }) => emptyForks(forge, repositoryId) },
    },
    user: {
      repositories: {
        stage: "owned",
        step: async (forge, { userId, purges, actorId }) =>
          purges ? removeSome(forge, userId, actorId) : nothing,
      },
    },
    organization: {
      repositories: {
        stage: "owned",
        step: async (forge, { organizationId, purgedBy }) =>
          purgedBy === undefined ? nothing : removeSome(forge, organizationId, purgedBy),
      },
    },
  },
  jobs: {
    "follow-owner": followOwner,
    "follow-visibility": followVisibility,
    [consolidationKind]: consolidateRepository,
    [inspectionKind]: inspectPacks,
  },
  checks: repositoryChecks,
};
