import type { Actor } from "../actor.ts";
import { attempts } from "../concurrency/attempts.ts";
import { defined } from "../defined.ts";
import { send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import { type JobKind, startJob } from "../jobs/job.ts";
import { runJob } from "../jobs/run.ts";
import { usageWrites } from "../quota/usage.ts";
import { equals } from "../table/condition.ts";
import { put, remove } from "../table/write.ts";
import { beingChanged, endLink, packageHolder } from "./link.ts";
import {
  type LeavingPackage,
  leavingPackageKey,
  type Package,
  type PackageVersion,
  packageKey,
  packageLinkKey,
  versionPrefix,
  versionsPartition,
} from "./package.table.ts";
import { getPackage } from "./package.ts";
import { VersionEvent, versionLeavingWrites } from "./version-writes.ts";

/** The kind of the job that removes the versions of a package. */
export const removingPackageKind = "remove-package";

/** A package that is hidden from everybody. */
type RemovedPackage = Pick<Package, "ownerId" | "repositoryId"> & {
  readonly packageId: number;
  readonly actorId: number;
};

const versionsPerStep = 20;
/** A version that somebody else removes at the same time is looked at once more. */
const hinderedMs = 60_000;
/** How long a caller waits. The rest goes on without the caller. */
const waitedForMs = 10_000;

/**
 * Removes a package with all of its versions: one transaction hides it, frees its name and counts it no more, and a job
 * removes the versions one by one, because hooks hear of each. NotFound when it is gone.
 */
export async function removePackage(forge: Forge, actor: Actor, named: Package): Promise<void> {
  for await (const _attempt of attempts()) {
    const current = await getPackage(forge, named);
    const holder = await packageHolder(forge, current);
    if (holder === "gone") {
      await endLink(forge, current, current.repositoryId ?? 0);
      continue;
    }
    const { id, ownerId, type, name, bytes, v, repositoryId } = current;
    const removed: RemovedPackage = {
      ...{ packageId: id, ownerId, actorId: actor.user.id },
      ...defined({ repositoryId }),
    };
    const job = startJob(forge, removingPackageKind, removed);
    const mark: LeavingPackage = { ...leavingPackageKey(ownerId, id), packageId: id, _v: 1 };
    const { committed } = await forge.table.transact([
      remove(packageKey(ownerId, type, name), equals({ id, v })),
      ...(repositoryId === undefined ? [] : [remove(packageLinkKey(repositoryId, id))]),
      ...usageWrites([{ ...holder, name: "packages", bytes: -bytes }]),
      ...[put(mark), job.write],
    ]);
    if (committed) return finish(forge, job.id);
  }
  throw beingChanged();
}

async function finish(forge: Forge, jobId: string): Promise<void> {
  try {
    await runJob(forge, { [removingPackageKind]: removeVersions }, jobId, { budgetMs: waitedForMs });
  } catch (error) {
    // The job stands. The tick goes on with it.
    forge.log.error("package:removal-interrupted", { job: jobId, error });
  }
}

/** Removes some versions in each step; the mark that hides them from lists goes last. */
export const removeVersions: JobKind<RemovedPackage, Record<string, never>> = {
  async step(forge, { ownerId, packageId, repositoryId, actorId }) {
    const { items, next } = await forge.table.query<PackageVersion>({
      pk: versionsPartition(packageId),
      prefix: versionPrefix,
      limit: versionsPerStep,
    });
    let isHindered = false;
    for (const version of items) {
      const event = new VersionEvent(forge, "deleted", actorId);
      const entry = event.of(version, repositoryId);
      const { committed } = await forge.table.transact([
        ...versionLeavingWrites(forge, version, event),
        entry.write,
      ]);
      if (committed) await send(forge, [entry]);
      else isHindered = true;
    }
    if (isHindered) return { cursor: {}, waitMs: hinderedMs };
    if (next !== undefined) return { cursor: {} };
    await forge.table.removeAll([leavingPackageKey(ownerId, packageId)]);
    return { done: true };
  },
};
