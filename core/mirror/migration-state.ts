import { conflict, notFound } from "../errors.ts";
import { send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import { findJob } from "../jobs/job.ts";
import { waitForJob } from "../jobs/wait-for-job.ts";
import type { Repository } from "../repository/repository.table.ts";
import { newSync } from "./request-sync.ts";
import { findSource } from "./source.ts";
import { stagedIn } from "./sync.ts";
import { syncJobId } from "./sync-job.ts";

/** How far a repository is that is brought over (D-MIGRATE), or when its mirror was last synced. */
export interface MigrationState {
  readonly status: "waiting" | "running" | "failed" | "done";
  /** Without credentials. */
  readonly sourceUrl: string;
  /** Why it failed, or what was left out; empty: nothing. */
  readonly problem: string;
  /** Failed attempts in a row. */
  readonly failures: number;
  /** When the last attempt ended, whole seconds; 0: none has. */
  readonly endedAt: number;
  /** The number of git objects that have come and are in no repository yet. */
  readonly objects: number;
  readonly bytes: number;
}

/** NotFound for a repository that comes from nowhere. */
export async function getMigrationState(forge: Forge, { id }: Repository): Promise<MigrationState> {
  const [{ repository, source }, job] = await Promise.all([
    requireSource(forge, id),
    findJob(forge, syncJobId(id)),
  ]);
  const isOver = job === undefined;
  const packs = stagedIn(job?.cursor);
  return {
    status: isOver ? (repository.isMigrating ? "failed" : "done") : job.steps > 0 ? "running" : "waiting",
    sourceUrl: source.url,
    problem: source.problem ?? "",
    failures: source.failures,
    endedAt: source.endedAt,
    objects: packs.reduce((sum, pack) => sum + pack.objects, 0),
    bytes: packs.reduce((sum, pack) => sum + pack.packBytes, 0),
  };
}

/**
 * Tries once more what failed, and waits a while for it. NotFound for a repository that comes from nowhere, Conflict when
 * nothing failed.
 */
export async function retryMigration(forge: Forge, repository: Repository): Promise<MigrationState> {
  if (repository.isMigrating !== true) {
    await requireSource(forge, repository.id);
    throw conflict("the repository has been brought over: nothing failed");
  }
  const job = newSync(forge, repository);
  await forge.table.write(job.write);
  await send(forge, [job.message]);
  await waitForJob(forge, job.id);
  return getMigrationState(forge, repository);
}

async function requireSource(forge: Forge, repositoryId: number) {
  const sourced = await findSource(forge, repositoryId);
  if (sourced === undefined) throw notFound("the repository was not brought over from elsewhere");
  return sourced;
}
