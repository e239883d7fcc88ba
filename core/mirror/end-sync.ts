import { nowSeconds } from "../clock.ts";
import { attempts } from "../concurrency/attempts.ts";
import { defined } from "../defined.ts";
import type { Forge } from "../forge.ts";
import { repositoryDelta } from "../repository/listing/index-writes.ts";
import { mirrorOf } from "../repository/mirror.ts";
import { type MirrorSettings, type Repository, repositoryKey } from "../repository/repository.table.ts";
import { equals } from "../table/condition.ts";
import { update, type Write } from "../table/write.ts";
import { type MirrorSource, mirrorDueWrites, mirrorSourceKey } from "./mirror.table.ts";
import { findSource, isFollowing } from "./source.ts";

/** How a sync ended. */
export interface SyncEnd {
  /** Why it failed, for people; absent: it did not. */
  readonly failure?: string;
  /** What the sync left out, for people; absent: nothing. */
  readonly problem?: string;
  /** The branch that the source's HEAD names. */
  readonly head?: string;
}

const firstPauseSeconds = 600;
const longestPauseSeconds = 86_400;
const mostProblemCharacters = 1_000;

/**
 * Records the end of a sync and plans the next, in one transaction: what waits sees the outcome, and no crash leaves a
 * mirror without a time.
 */
export async function endSync(forge: Forge, repositoryId: number, end: SyncEnd): Promise<void> {
  for await (const _attempt of attempts()) {
    const sourced = await findSource(forge, repositoryId);
    // Deleted, or made an ordinary repository meanwhile.
    if (sourced === undefined || !isFollowing(sourced.repository)) return;
    const { committed } = await forge.table.transact(endWrites(forge, sourced, end));
    if (committed) return;
  }
  throw new Error(`the end of a sync of repository ${repositoryId} could not be recorded`);
}

function endWrites(
  forge: Forge,
  { repository, source }: { repository: Repository; source: MirrorSource },
  { failure, problem = failure, head = source.head }: SyncEnd,
): Write[] {
  const now = nowSeconds(forge.clock);
  const isFailed = failure !== undefined;
  const failures = isFailed ? source.failures + 1 : 0;
  const settings = mirrorOf(repository);
  const mirror = settings && settingsAfter(settings, now, failures);
  const isForgetting = mirror === undefined && !isFailed;
  const ended = {
    set: {
      ...{ failures, endedAt: now, v: source.v + 1 },
      ...defined({ head, problem: problem?.slice(0, mostProblemCharacters) }),
    },
    unset: [...(problem === undefined ? ["problem"] : []), ...(isForgetting ? ["credentials"] : [])],
  };
  const { id, v } = repository;
  const changes = {
    set: { ...(mirror && { mirror }), v: v + 1 },
    unset: isFailed ? [] : ["isMigrating"],
  };
  return [
    update(repositoryKey(id), changes, equals({ v, state: "live" })),
    repositoryDelta({ ...repository, ...changes.set }),
    update(mirrorSourceKey(id), ended, equals({ v: source.v })),
    ...(mirror ? mirrorDueWrites({ id, mirror }) : []),
  ];
}

/** After failures the pauses grow to a day, however short the interval is; none is planned where none was. */
function settingsAfter(settings: MirrorSettings, now: number, failures: number): MirrorSettings {
  const { intervalSeconds } = settings;
  const syncedAt = failures > 0 ? settings.syncedAt : now;
  if (intervalSeconds === 0) return { ...settings, syncedAt, nextSyncAt: 0 };
  if (failures === 0) return { ...settings, syncedAt, nextSyncAt: now + intervalSeconds };
  const pause = Math.min(firstPauseSeconds * 2 ** Math.min(failures - 1, 20), longestPauseSeconds);
  return { ...settings, nextSyncAt: now + pause };
}
