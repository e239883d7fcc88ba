import { nowSeconds } from "../clock.ts";
import { attempts } from "../concurrency/attempts.ts";
import { badRequest } from "../errors.ts";
import { send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import { settleDue } from "../jobs/due.ts";
import { findJob, type NewJob, startJob } from "../jobs/job.ts";
import { waitForJob } from "../jobs/wait-for-job.ts";
import { type Repository, repositoryKey } from "../repository/repository.table.ts";
import { equals } from "../table/condition.ts";
import { keyText, update } from "../table/write.ts";
import {
  type DuePushMirror,
  type PushMirror,
  type PushMirrorId,
  pushMirrorDueKind,
  pushMirrorDueWrite,
  pushMirrorKey,
  pushMirrorKind,
} from "./push-mirror.table.ts";
import { listPushMirrors } from "./push-mirror.ts";

/** One job for each mirror: its last character is a hexadecimal digit, as ids of jobs need. */
export const runJobId = ({ repositoryId, name }: PushMirrorId): string => `${name}-${repositoryId}`;

type Owned = Pick<Repository, "ownerId">;

const newRun = (forge: Forge, { ownerId }: Owned, { repositoryId, name }: PushMirrorId): NewJob =>
  startJob(
    forge,
    pushMirrorKind,
    { repositoryId, name },
    { id: runJobId({ repositoryId, name }), queue: "mirrors", turnOf: ownerId },
  );

/** Starts a run. False when one has begun already, which may have read the refs before. */
async function startRun(forge: Forge, repository: Owned, id: PushMirrorId): Promise<boolean> {
  for await (const _attempt of attempts()) {
    const job = newRun(forge, repository, id);
    const isNew = await forge.table.write(job.write);
    const before = isNew ? undefined : await findJob(forge, job.id);
    // One that ended just now may have read the refs before: it does not count.
    if (!isNew && before === undefined) continue;
    await send(forge, [job.message]);
    return before === undefined || before.attempts === 0;
  }
  return false;
}

/** Brings all copies of a repository up to date now, and waits a while for it (D-SYNC). 400 when mirrors are off. */
export async function runPushMirrorsNow(forge: Forge, repository: Repository): Promise<void> {
  if (forge.config.disableMirrors) throw badRequest("mirrors are switched off here");
  const mirrors = await listPushMirrors(forge, repository.id);
  for (const mirror of mirrors) await startRun(forge, repository, mirror);
  await Promise.all(mirrors.map((mirror) => waitForJob(forge, runJobId(mirror))));
}

/** For the worker, after a push to a repository: starts runs of the mirrors that ask for it. It bears repetition. */
export async function startPushMirrors(forge: Forge, repositoryId: number): Promise<void> {
  const repository = await forge.table.get<Repository>(repositoryKey(repositoryId));
  if (repository?.hasPushMirrors !== true || forge.config.disableMirrors) return;
  for (const mirror of await listPushMirrors(forge, repositoryId)) {
    if (!mirror.syncsOnPush || (await startRun(forge, repository, mirror))) continue;
    // A run under way may miss what was just pushed: the tick starts another once it is over.
    await forge.table.write(pushMirrorDueWrite(mirror, nowSeconds(forge.clock), { isWanted: true }));
  }
}

/**
 * Starts the runs whose time has come, a bounded number; answers how many. Those of archived repositories wait for their
 * next time (B-07). Two at once start the same jobs.
 */
export async function startDuePushMirrors(forge: Forge): Promise<number> {
  if (forge.config.disableMirrors) return 0;
  let started = 0;
  await settleDue<DuePushMirror>(forge, pushMirrorDueKind, async (due) => {
    const keys = [repositoryKey(due.repositoryId), pushMirrorKey(due.repositoryId, due.name)] as const;
    const found = await forge.table.getAll([...keys]);
    const repository = found.get(keyText(keys[0])) as Repository | undefined;
    const mirror = found.get(keyText(keys[1])) as PushMirror | undefined;
    if (repository?.state !== "live" || mirror === undefined) return true; // gone
    if (!due.isWanted && mirror.nextRunAt !== due.at) return true; // planned anew
    if (repository.isArchived) return due.isWanted || postpone(forge, mirror);
    if (!(await startRun(forge, repository, mirror))) return false; // one is under way: look again
    started += 1;
    return true;
  });
  return started;
}

/** Plans the next time without a run. */
async function postpone(forge: Forge, mirror: PushMirror): Promise<boolean> {
  const key = pushMirrorKey(mirror.repositoryId, mirror.name);
  const nextRunAt = nowSeconds(forge.clock) + mirror.intervalSeconds;
  const { committed } = await forge.table.transact([
    update(key, { set: { nextRunAt, v: mirror.v + 1 } }, equals({ v: mirror.v })),
    pushMirrorDueWrite(mirror, nextRunAt),
  ]);
  return committed;
}
