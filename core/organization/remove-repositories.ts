import { isHiddenFromToken } from "../access/public-only.ts";
import type { Actor } from "../actor.ts";
import { unprocessable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { type JobKind, startJob } from "../jobs/job.ts";
import { runJob } from "../jobs/run.ts";
import { removeRepositoriesOfOwner } from "../repository/removal/remove.ts";
import { cardPrefix, ownerPartition, type RepositoryCard } from "../repository/repository.table.ts";
import type { Organization } from "./organization.table.ts";

/** The kind of the job that deletes them. */
export const removingRepositoriesKind = "remove-repositories";

/** The repositories to delete: named one by one, so that later ones of the organization stay. */
interface RemovedRepositories {
  readonly organizationId: number;
  readonly actorId: number;
  readonly repositoryIds: readonly number[];
}

/** They stand in the job's item, which holds 400 KB. */
const mostAtOnce = 20_000;
const repositoriesPerStep = 10;
/** How long a caller waits. The rest goes on without the caller. */
const waitedForMs = 10_000;

/**
 * Deletes the repositories that an organization has now, as far as the caller's token reaches; answers whether all are
 * gone, else a worker continues. Unprocessable when one job can't name them all.
 */
export async function removeOrganizationRepositories(
  forge: Forge,
  actor: Actor,
  organization: Organization,
): Promise<"removed" | "underway"> {
  const repositoryIds = await removableOf(forge, actor, organization);
  if (repositoryIds.length === 0) return "removed";
  const named: RemovedRepositories = {
    organizationId: organization.id,
    actorId: actor.user.id,
    repositoryIds,
  };
  const job = startJob(forge, removingRepositoriesKind, named);
  await forge.table.transact([job.write]);
  forge.log.info("organization:removing-repositories", {
    by: actor.user.id,
    organization: organization.id,
    count: repositoryIds.length,
  });
  try {
    const kinds = { [removingRepositoriesKind]: removeNamedRepositories };
    const { outcome } = await runJob(forge, kinds, job.id, { budgetMs: waitedForMs });
    return outcome === "done" ? "removed" : "underway";
  } catch (error) {
    // The job stands. The tick goes on with it.
    forge.log.error("organization:removal-interrupted", {
      organization: organization.id,
      job: job.id,
      error,
    });
    return "underway";
  }
}

async function removableOf({ table }: Forge, actor: Actor, owner: Organization): Promise<number[]> {
  const cards = await table.queryAll<RepositoryCard>({
    pk: ownerPartition(owner.id),
    prefix: cardPrefix,
    limit: mostAtOnce + 1,
  });
  if (cards.length > mostAtOnce) {
    throw unprocessable(`the organization has more than ${mostAtOnce} repositories; delete them one by one`);
  }
  return cards
    .filter((repository) => !isHiddenFromToken(actor, { owner, repository }))
    .map((card) => card.repositoryId);
}

/** Deletes some in each step, in order; repositories that are gone or have another owner by now are left alone. */
export const removeNamedRepositories: JobKind<RemovedRepositories, { readonly next: number }> = {
  async step(forge, { organizationId, actorId, repositoryIds }, { next } = { next: 0 }) {
    const end = next + repositoriesPerStep;
    for (const id of repositoryIds.slice(next, end)) {
      await removeRepositoriesOfOwner(forge, actorId, organizationId, id);
    }
    return end >= repositoryIds.length ? { done: true } : { cursor: { next: end } };
  },
};
