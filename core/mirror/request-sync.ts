import { badRequest } from "../errors.ts";
import { send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import { type NewJob, startJob } from "../jobs/job.ts";
import { waitForJob } from "../jobs/wait-for-job.ts";
import type { Repository } from "../repository/repository.table.ts";
import { syncJobId, syncKind } from "./sync-job.ts";

/** The job of a sync, for the transaction that asks for one. */
export const newSync = (forge: Forge, { id, ownerId }: Pick<Repository, "id" | "ownerId">): NewJob =>
  startJob(forge, syncKind, { repositoryId: id }, { id: syncJobId(id), queue: "mirrors", turnOf: ownerId });

/**
 * Syncs a mirror now, and waits a while for it; what the source does wrong stands in the mirror's own item. A sync that
 * runs already is the one that is waited for. BadRequest when the repository is no mirror, or mirrors are switched off.
 */
export async function syncNow(forge: Forge, repository: Repository): Promise<void> {
  if (forge.config.disableMirrors) throw badRequest("mirrors are switched off here");
  if (!repository.isMirror) throw badRequest("the repository is no mirror");
  const job = newSync(forge, repository);
  await forge.table.write(job.write);
  await send(forge, [job.message]);
  await waitForJob(forge, job.id);
}
