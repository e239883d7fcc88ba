import { send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import { settleDue } from "../jobs/due.ts";
import { mirrorOf } from "../repository/mirror.ts";
import { type Repository, repositoryKey } from "../repository/repository.table.ts";
import { type DueMirror, mirrorDueKind } from "./mirror.table.ts";
import { newSync } from "./request-sync.ts";

/**
 * Starts the syncs whose time has come, a bounded number; answers how many. Mirrors that are not due are not looked at.
 * Two at once start the same jobs, and each sync plans its next.
 */
export async function startDueMirrors(forge: Forge): Promise<number> {
  if (forge.config.disableMirrors) return 0;
  let started = 0;
  await settleDue<DueMirror>(forge, mirrorDueKind, async ({ repositoryId, at }) => {
    const repository = await forge.table.get<Repository>(repositoryKey(repositoryId));
    const isDue = repository?.state === "live" && mirrorOf(repository)?.nextSyncAt === at;
    if (!isDue) return true; // deleted, an ordinary repository by now, or planned anew
    const job = newSync(forge, repository);
    if (await forge.table.write(job.write)) started += 1;
    await send(forge, [job.message]);
    return true;
  });
  return started;
}
