import type { Forge } from "../forge.ts";
import { dropLabels } from "../issue/labels/drop-labels.ts";
import type { PartStep } from "../jobs/passes.ts";
import type { Lifecycle, MovedRepository } from "../lifecycle/lifecycle.ts";
import { type Repository, repositoryKey } from "../repository/repository.table.ts";
import { labelChecks } from "./label.check.ts";
import { listLabels } from "./label.ts";

/** An organization's labels mean nothing on a repository that it does not own any more. */
async function dropFormerOwners(
  forge: Forge,
  { repositoryId, formerOwnerId }: MovedRepository,
): Promise<PartStep> {
  const repository = await forge.table.get<Repository>(repositoryKey(repositoryId));
  const isElsewhere = repository?.state === "live" && repository.ownerId !== formerOwnerId;
  if (!isElsewhere) return { hasFound: false, hasMore: false };
  const labels = await listLabels(forge, { kind: "organization", id: formerOwnerId });
  const ids = labels.map(({ id }) => id);
  return { hasFound: ids.length > 0, hasMore: await dropLabels(forge, repositoryId, ids) };
}

export const labelLifecycle: Lifecycle = {
  noun: "label",
  items: [
    { at: "R#<repository> / LB#<label>", counter: "label" },
    { at: "O#<organization> / LB#<label>", counter: "label" },
  ],
  moves: { labels: { step: dropFormerOwners } },
  checks: labelChecks,
};
